// Prints a longest strictly rising subsequence of each line's numbers: for each number it asks all before it.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func rise(numbers []int) []int {
	var length, previous []int
	last := -1
	for i := range numbers {
		length = append(length, 1)
		previous = append(previous, -1)
		for j := 0; j < i; j++ {
			if numbers[j] < numbers[i] && length[j]+1 > length[i] {
				length[i] = length[j] + 1
				previous[i] = j
			}
		}
		if last < 0 || length[i] > length[last] {
			last = i
		}
	}
	var found []int
	for i := last; i >= 0; i = previous[i] {
		found = append([]int{numbers[i]}, found...)
	}
	return found
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var numbers []int
		for _, word := range strings.Fields(lines.Text()) {
			number, err := strconv.Atoi(word)
			if err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			numbers = append(numbers, number)
		}
		line := ""
		for _, number := range rise(numbers) {
			line += strconv.Itoa(number) + " "
		}
		fmt.Println(line)
	}
}
