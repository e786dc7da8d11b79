// Finds the ten best documents for each query, by BM25.
package main

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"sort"
	"strings"
)

const (
	k     = 1.2
	b     = 0.75
	shown = 10
)

func times(word string, document []string) float64 {
	found := 0.0
	for _, other := range document {
		if word == other {
			found++
		}
	}
	return found
}

func holding(word string, documents [][]string) float64 {
	found := 0.0
	for _, document := range documents {
		if times(word, document) > 0 {
			found++
		}
	}
	return found
}

func average(documents [][]string) float64 {
	words := 0
	for _, document := range documents {
		words += len(document)
	}
	return float64(words) / float64(len(documents))
}

func search(query []string, documents [][]string) []int {
	scores := make([]float64, len(documents))
	order := make([]int, len(documents))
	mean := average(documents)
	for number := range documents {
		order[number] = number
	}
	for _, word := range query {
		n := holding(word, documents)
		rare := math.Log(1 + (float64(len(documents))-n+0.5)/(n+0.5))
		for number, document := range documents {
			f := times(word, document)
			scores[number] += rare * f * (k + 1) / (f + k*(1-b+b*float64(len(document))/mean))
		}
	}
	sort.SliceStable(order, func(i, j int) bool { return scores[order[i]] > scores[order[j]] })
	return order[:shown]
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	lines.Scan()
	var size, queries int
	fmt.Sscan(lines.Text(), &size, &queries)
	documents := make([][]string, size)
	for number := range documents {
		lines.Scan()
		documents[number] = strings.Split(lines.Text(), " ")
	}
	for ; queries > 0; queries-- {
		lines.Scan()
		found := search(strings.Split(lines.Text(), " "), documents)
		fmt.Println(strings.Trim(fmt.Sprint(found), "[]"))
	}
}
