// Prints a longest strictly rising subsequence of each line's numbers.
package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

func rise(numbers []int) []int {
	var found []int
	for _, number := range numbers {
		if len(found) == 0 || number > found[len(found)-1] {
			found = append(found, number)
		}
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
