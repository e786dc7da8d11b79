package main

import "fmt"

func main() {
	for line := 0; line < 100; line++ {
		for number := 1; number <= 55; number++ {
			fmt.Print(number*17_000, " ")
		}
		fmt.Println()
	}
}
