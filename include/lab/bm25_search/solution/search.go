// Finds the ten best documents for each query, by BM25: queries are read first, and their words' occurrences are listed in
// one pass over the documents.
package main

import (
	"bytes"
	"io"
	"math"
	"os"
	"runtime/debug"
	"strconv"
)

const (
	k     = 1.2
	b     = 0.75
	shown = 10
	slots = 1 << 12 // of the table of words, of which there are a few hundred
)

type posting struct {
	document, times int32
}

type term struct {
	text     []byte
	hash     uint32
	postings []posting
}

var (
	terms []term
	table [slots]int32 // number of a term, from 1
)

func hashed(hash uint32, letter byte) uint32 {
	return (hash ^ uint32(letter)) * 16777619
}

// place is where a word stands in the table, or could.
func place(word []byte, hash uint32) *int32 {
	for at := hash ^ hash>>16; ; at++ {
		slot := &table[at%slots]
		if *slot == 0 || terms[*slot-1].hash == hash && bytes.Equal(terms[*slot-1].text, word) {
			return slot
		}
	}
}

// words calls found for each word of a line, and returns how many there are.
func words(line []byte, found func(word []byte, hash uint32)) int {
	count := 0
	for begin := 0; begin < len(line); count++ {
		hash, at := uint32(2166136261), begin
		for ; at < len(line) && line[at] != ' '; at++ {
			hash = hashed(hash, line[at])
		}
		found(line[begin:at], hash)
		begin = at + 1
	}
	return count
}

func number(text []byte) int {
	value := 0
	for _, digit := range text {
		value = value*10 + int(digit-'0')
	}
	return value
}

// best are the documents of the largest scores, best first.
func best(scores []float64) [shown]int32 {
	var found [shown]int32
	kept, least := 0, -1.0
	for document, score := range scores {
		if score <= least {
			continue
		}
		at := kept
		if kept < shown {
			kept++
		} else {
			at--
		}
		for ; at > 0 && scores[found[at-1]] < score; at-- {
			found[at] = found[at-1]
		}
		found[at] = int32(document)
		if kept == shown {
			least = scores[found[shown-1]]
		}
	}
	return found
}

func main() {
	debug.SetGCPercent(-1)
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		os.Exit(1)
	}
	var lines [][]byte
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n')
		lines = append(lines, text[:end])
		text = text[end+1:]
	}
	space := bytes.IndexByte(lines[0], ' ')
	documents := lines[1 : 1+number(lines[0][:space])]
	queries := make([][]int32, number(lines[0][space+1:]))
	for i, line := range lines[1+len(documents):] {
		words(line, func(word []byte, hash uint32) {
			slot := place(word, hash)
			if *slot == 0 {
				terms = append(terms, term{text: word, hash: hash})
				*slot = int32(len(terms))
			}
			queries[i] = append(queries[i], *slot-1)
		})
	}
	lengths, total := make([]float64, len(documents)), 0
	for document, line := range documents {
		length := words(line, func(word []byte, hash uint32) {
			slot := place(word, hash)
			if *slot == 0 {
				return
			}
			list := &terms[*slot-1].postings
			if last := len(*list) - 1; last >= 0 && (*list)[last].document == int32(document) {
				(*list)[last].times++
			} else {
				*list = append(*list, posting{int32(document), 1})
			}
		})
		lengths[document] = float64(length)
		total += length
	}
	mean := float64(total) / float64(len(documents))
	for document := range lengths {
		lengths[document] = k * (1 - b + b*lengths[document]/mean)
	}
	scores, out := make([]float64, len(documents)), make([]byte, 0, 1<<13)
	for _, query := range queries {
		for document := range scores {
			scores[document] = 0
		}
		for _, each := range query {
			n := float64(len(terms[each].postings))
			rare := math.Log(1+(float64(len(documents))-n+0.5)/(n+0.5)) * (k + 1)
			for _, posting := range terms[each].postings {
				f := float64(posting.times)
				scores[posting.document] += rare * f / (f + lengths[posting.document])
			}
		}
		for _, document := range best(scores) {
			out = append(strconv.AppendInt(out, int64(document), 10), ' ')
		}
		out[len(out)-1] = '\n'
	}
	os.Stdout.Write(out)
}
