//! Says which texts match a regular expression as a whole: the expression's positions as bits of a word (Glushkov 1961), and
//! of the sets of positions that occur a deterministic automaton that is built while it is needed.
use std::io::{self, Read, Write};

const TEXTS: usize = 20;
const LETTERS: usize = 4;
const UNKNOWN: u16 = u16::MAX;

/// Part of an expression: whether it matches nothing, and its first and last positions.
#[derive(Clone, Copy)]
struct Part {
    empty: bool,
    first: u64,
    last: u64,
}

struct Positions<'a> {
    pattern: &'a [u8],
    at: usize,
    used: usize,
    of_letter: [u64; LETTERS],
    follow: [u64; 64],
}

impl Positions<'_> {
    fn link(&mut self, mut from: u64, to: u64) {
        while from != 0 {
            self.follow[from.trailing_zeros() as usize] |= to;
            from &= from - 1;
        }
    }

    fn alternatives(&mut self) -> Part {
        let mut all = self.sequence();
        while self.pattern.get(self.at) == Some(&b'|') {
            self.at += 1;
            let other = self.sequence();
            all = Part { empty: all.empty | other.empty, first: all.first | other.first, last: all.last | other.last };
        }
        all
    }

    fn sequence(&mut self) -> Part {
        let mut all = Part { empty: true, first: 0, last: 0 };
        while self.at < self.pattern.len() && !matches!(self.pattern[self.at], b'|' | b')') {
            let next = self.repeated();
            self.link(all.last, next.first);
            all = Part {
                empty: all.empty & next.empty,
                first: if all.empty { all.first | next.first } else { all.first },
                last: if next.empty { all.last | next.last } else { next.last },
            };
        }
        all
    }

    fn repeated(&mut self) -> Part {
        let mut part = self.single();
        while let Some(&sign @ (b'*' | b'+' | b'?')) = self.pattern.get(self.at) {
            self.at += 1;
            if sign != b'?' {
                self.link(part.last, part.first);
            }
            part.empty |= sign != b'+';
        }
        part
    }

    fn single(&mut self) -> Part {
        let sign = self.pattern[self.at];
        self.at += 1;
        if sign == b'(' {
            let part = self.alternatives();
            self.at += 1;
            return part;
        }
        let position = 1 << self.used;
        self.used += 1;
        for (number, set) in self.of_letter.iter_mut().enumerate() {
            if sign == b'.' || sign as usize == b'a' as usize + number {
                *set |= position;
            }
        }
        Part { empty: false, first: position, last: position }
    }
}

/// What may come next, and whether the text may end here.
type State = (u64, bool);

struct Automaton {
    of_letter: [u64; LETTERS],
    follow: [u64; 64],
    last: u64,
    states: Vec<State>,
    next: Vec<[u16; LETTERS]>,
}

impl Automaton {
    fn new(pattern: &[u8]) -> Self {
        let mut positions = Positions { pattern, at: 0, used: 0, of_letter: [0; LETTERS], follow: [0; 64] };
        let whole = positions.alternatives();
        Automaton {
            of_letter: positions.of_letter,
            follow: positions.follow,
            last: whole.last,
            states: vec![(whole.first, whole.empty)],
            next: vec![[UNKNOWN; LETTERS]],
        }
    }

    #[cold]
    fn found(&mut self, from: usize, letter: usize) -> u16 {
        let mut hit = self.states[from].0 & self.of_letter[letter];
        let mut state = (0, hit & self.last != 0);
        while hit != 0 {
            state.0 |= self.follow[hit.trailing_zeros() as usize];
            hit &= hit - 1;
        }
        let number = self.states.iter().position(|&known| known == state).unwrap_or_else(|| {
            self.states.push(state);
            self.next.push([UNKNOWN; LETTERS]);
            self.states.len() - 1
        });
        self.next[from][letter] = number as u16;
        number as u16
    }

    fn matches(&mut self, text: &[u8]) -> bool {
        let mut state = 0;
        for &letter in text {
            let letter = (letter - b'a') as usize % LETTERS;
            let next = self.next[state][letter];
            state = if next == UNKNOWN { self.found(state, letter) } else { next } as usize;
        }
        self.states[state].1
    }
}

fn main() {
    let mut text = Vec::with_capacity(1 << 18);
    io::stdin().lock().read_to_end(&mut text).unwrap();
    let mut out = Vec::with_capacity(1 << 12);
    let mut rest = &text[..];
    let mut line = || {
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let line = &rest[..end];
        rest = &rest[end + 1..];
        Some(line)
    };
    while let Some(pattern) = line() {
        let mut automaton = Automaton::new(pattern);
        for _ in 0..TEXTS {
            out.push(b'0' + automaton.matches(line().unwrap()) as u8);
        }
        out.push(b'\n');
    }
    io::stdout().write_all(&out).unwrap();
}
