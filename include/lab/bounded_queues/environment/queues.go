// Keeps queues and tells their oldest and smallest numbers.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

const (
	queues = 16
	most   = 512
)

type queue struct {
	numbers []int
}

func (q *queue) join(number int) {
	if len(q.numbers) == most {
		q.leave()
	}
	q.numbers = append(q.numbers, number)
}

func (q *queue) leave() string {
	if len(q.numbers) == 0 {
		return "none"
	}
	oldest := q.numbers[0]
	for place := 1; place < len(q.numbers); place++ {
		q.numbers[place-1] = q.numbers[place]
	}
	q.numbers = q.numbers[:len(q.numbers)-1]
	return fmt.Sprint(oldest)
}

func (q *queue) smallest() string {
	if len(q.numbers) == 0 {
		return "none"
	}
	smallest := q.numbers[0]
	for _, number := range q.numbers {
		if number < smallest {
			smallest = number
		}
	}
	return fmt.Sprint(smallest)
}

func main() {
	debug.SetGCPercent(-1) // when the collector runs is chance, and would be counted
	all := make([]queue, queues)
	lines := bufio.NewScanner(os.Stdin)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for lines.Scan() {
		words := strings.Fields(lines.Text())
		number, _ := strconv.Atoi(words[1])
		switch words[0] {
		case "+":
			value, _ := strconv.Atoi(words[2])
			all[number].join(value)
		case "-":
			fmt.Fprintln(out, all[number].leave())
		default:
			fmt.Fprintln(out, all[number].smallest())
		}
	}
}
