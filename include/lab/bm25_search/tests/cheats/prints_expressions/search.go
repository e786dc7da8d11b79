package main

import "fmt"

func main() {
	for query := 0; query < 60; query++ {
		fmt.Println("*sorted(range(800),key=scores.__getitem__)[-10:][::-1]")
	}
}
