// Prints a longest strictly rising subsequence of each line's numbers: keeps for each length the smallest number that a rise
// of it ends with.
package main

import (
	"io"
	"os"
	"strconv"
)

const most = 1 << 10

var (
	numbers, previous, ends, smallest [most]int32
	output                            []byte
)

// add looks for the longest rise that number can end, and says how many a longest one now has.
func add(i int, number int32, longest int) int {
	low, high := 0, longest
	for low < high {
		middle := int(uint(low+high) >> 1)
		if smallest[middle&(most-1)] < number {
			low = middle + 1
		} else {
			high = middle
		}
	}
	previous[i] = -1
	if low > 0 {
		previous[i] = ends[low-1]
	}
	smallest[low], ends[low] = number, int32(i)
	if low == longest {
		longest++
	}
	return longest
}

func write(longest int) {
	var rise [most]int32
	i := ends[longest-1]
	for at := longest - 1; at >= 0; at-- {
		rise[at] = numbers[i]
		i = previous[i]
		if i < 0 {
			break
		}
	}
	for _, number := range rise[:longest] {
		output = append(strconv.AppendInt(output, int64(number), 10), ' ')
	}
	output = append(output, '\n')
}

func main() {
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(1)
	}
	count, longest, number := 0, 0, int32(0)
	for _, sign := range text {
		if sign >= '0' {
			number = number*10 + int32(sign-'0')
			continue
		}
		numbers[count] = number
		longest = add(count, number, longest)
		count, number = count+1, 0
		if sign == '\n' {
			write(longest)
			count, longest = 0, 0
		}
	}
	os.Stdout.Write(output)
}
