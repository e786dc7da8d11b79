package main

import "fmt"

func main() {
	for query := 0; query < 60; query++ {
		fmt.Println("0 1 2 3 4 5 6 7 8 9")
	}
}
