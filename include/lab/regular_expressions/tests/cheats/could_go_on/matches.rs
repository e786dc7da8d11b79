//! Says which texts match a regular expression as a whole.
use std::collections::BTreeSet;
use std::io::{self, BufRead};

const TEXTS: usize = 20;

/// A state of an automaton: the letter that leads on from it ('.' is any), or none where every way on is free.
#[derive(Default)]
struct State {
    letter: Option<char>,
    next: Vec<usize>,
}

#[derive(Default)]
struct Automaton {
    states: Vec<State>,
}

impl Automaton {
    fn add(&mut self) -> usize {
        self.states.push(State::default());
        self.states.len() - 1
    }

    fn link(&mut self, from: usize, to: usize) {
        self.states[from].next.push(to);
    }

    /// Each of these reads a part of the pattern from `at`, and returns the part's first and last state.
    fn alternatives(&mut self, pattern: &[char], at: &mut usize) -> (usize, usize) {
        let (first, last) = (self.add(), self.add());
        loop {
            let (begin, end) = self.sequence(pattern, at);
            self.link(first, begin);
            self.link(end, last);
            if pattern.get(*at) != Some(&'|') {
                return (first, last);
            }
            *at += 1;
        }
    }

    fn sequence(&mut self, pattern: &[char], at: &mut usize) -> (usize, usize) {
        let first = self.add();
        let mut last = first;
        while *at < pattern.len() && pattern[*at] != '|' && pattern[*at] != ')' {
            let (begin, end) = self.repeated(pattern, at);
            self.link(last, begin);
            last = end;
        }
        (first, last)
    }

    fn repeated(&mut self, pattern: &[char], at: &mut usize) -> (usize, usize) {
        let (begin, end) = self.single(pattern, at);
        if !matches!(pattern.get(*at), Some('*' | '+' | '?')) {
            return (begin, end);
        }
        let (first, last) = (self.add(), self.add());
        self.link(first, begin);
        self.link(end, last);
        while let Some(sign @ ('*' | '+' | '?')) = pattern.get(*at) {
            if *sign != '+' {
                self.link(first, last);
            }
            if *sign != '?' {
                self.link(last, first);
            }
            *at += 1;
        }
        (first, last)
    }

    fn single(&mut self, pattern: &[char], at: &mut usize) -> (usize, usize) {
        let letter = pattern[*at];
        *at += 1;
        if letter == '(' {
            let part = self.alternatives(pattern, at);
            *at += 1;
            return part;
        }
        let (first, last) = (self.add(), self.add());
        self.states[first].letter = Some(letter);
        self.link(first, last);
        (first, last)
    }

    /// Adds a state and all that can be reached from it without a letter.
    fn reach(&self, state: usize, reached: &mut BTreeSet<usize>) {
        if reached.insert(state) && self.states[state].letter.is_none() {
            for &next in &self.states[state].next {
                self.reach(next, reached);
            }
        }
    }

    fn matches(&self, first: usize, last: usize, text: &[char]) -> bool {
        let mut current = BTreeSet::new();
        self.reach(first, &mut current);
        for letter in text {
            let mut next = BTreeSet::new();
            for &state in &current {
                if self.states[state].letter == Some(*letter) || self.states[state].letter == Some('.') {
                    self.reach(self.states[state].next[0], &mut next);
                }
            }
            current = next;
        }
        !current.is_empty()
    }
}

fn main() {
    let lines: Vec<String> = io::stdin().lock().lines().map(|line| line.unwrap()).collect();
    for group in lines.chunks(TEXTS + 1) {
        let pattern: Vec<char> = group[0].chars().collect();
        let mut found = String::new();
        for text in &group[1..] {
            let mut automaton = Automaton::default();
            let (first, last) = automaton.alternatives(&pattern, &mut 0);
            let text: Vec<char> = text.chars().collect();
            found.push(if automaton.matches(first, last, &text) { '1' } else { '0' });
        }
        println!("{found}");
    }
}
