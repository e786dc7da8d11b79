// Keeps queues and tells their oldest and smallest numbers: each queue is a ring, and beside it a second ring holds the numbers
// that no later one is smaller than, so that its first is the smallest of all.
package main

import (
	"io"
	"os"
	"runtime/debug"
	"strconv"
)

const (
	queues = 16
	most   = 512 // a power of two
)

// A ring counts what ever joined and left it.
type ring struct {
	joined, left uint32
	numbers      [most]int32
}

func (r *ring) oldest() int32 { return r.numbers[r.left%most] }

func (r *ring) newest() int32 { return r.numbers[(r.joined-1)%most] }

func (r *ring) join(number int32) {
	r.numbers[r.joined%most] = number
	r.joined++
}

type queue struct {
	all, least ring
}

func (q *queue) join(number int32) {
	if q.all.joined-q.all.left == most {
		q.leave()
	}
	q.all.join(number)
	for q.least.joined != q.least.left && q.least.newest() > number {
		q.least.joined--
	}
	q.least.join(number)
}

func (q *queue) leave() {
	if q.all.oldest() == q.least.oldest() {
		q.least.left++
	}
	q.all.left++
}

var kept [queues]queue

func main() {
	debug.SetGCPercent(-1)
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(1)
	}
	out := make([]byte, 0, 1<<19)
	for at := 0; at < len(text); at++ {
		kind := text[at]
		number := 0
		for at += 2; text[at] >= '0'; at++ {
			number = number*10 + int(text[at]-'0')
		}
		queue := &kept[number%queues]
		if kind == '+' {
			at++
			negative := text[at] == '-'
			if negative {
				at++
			}
			value := int32(0)
			for ; text[at] >= '0'; at++ {
				value = value*10 + int32(text[at]-'0')
			}
			if negative {
				value = -value
			}
			queue.join(value)
			continue
		}
		switch {
		case queue.all.joined == queue.all.left:
			out = append(out, "none"...)
		case kind == '-':
			out = strconv.AppendInt(out, int64(queue.all.oldest()), 10)
			queue.leave()
		default:
			out = strconv.AppendInt(out, int64(queue.least.oldest()), 10)
		}
		out = append(out, '\n')
	}
	os.Stdout.Write(out)
}
