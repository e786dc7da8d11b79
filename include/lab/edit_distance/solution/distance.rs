//! Prints Levenshtein's distance of each pair of strings: 64 rows of the table at once, as the bits of two words that say
//! where the next number is larger and where it is smaller (Myers 1999; Hyyro 2003).
use std::io::{self, Read, Write};

const WORDS: usize = 8;

struct Block {
    up: u64,
    down: u64,
}

/// Whether the next number is larger, and whether it is smaller, as a bit each.
type Step = (u64, u64);

/// One column of a block: takes the step of its upper edge and gives that of its row `last`.
#[inline(always)]
fn step(block: &mut Block, equal: u64, above: Step, last: u32) -> Step {
    let (up, down) = (block.up, block.down);
    let vertical = equal | down;
    let equal = equal | above.1;
    let horizontal = ((equal & up).wrapping_add(up) ^ up) | equal;
    let rose = down | !(horizontal | up);
    let sank = up & horizontal;
    let (rose_in, sank_in) = (rose << 1 | above.0, sank << 1 | above.1);
    block.up = sank_in | !(vertical | rose_in);
    block.down = rose_in & vertical;
    (rose >> last & 1, sank >> last & 1)
}

fn distance(from: &[u8], to: &[u8]) -> i32 {
    let words = from.len().div_ceil(64);
    let mut equal = [[0u64; WORDS]; 26];
    for (i, &letter) in from.iter().enumerate() {
        equal[(letter - b'a') as usize][i / 64] |= 1 << (i % 64);
    }
    let mut blocks: [Block; WORDS] = std::array::from_fn(|_| Block { up: !0, down: 0 });
    let last = (from.len() as u32 - 1) % 64;
    let mut found = from.len() as i32;
    for &letter in to {
        let equal = &equal[(letter - b'a') as usize];
        let mut carry = (1, 0);
        for (block, &equal) in blocks[..words - 1].iter_mut().zip(equal) {
            carry = step(block, equal, carry, 63);
        }
        let (rose, sank) = step(&mut blocks[words - 1], equal[words - 1], carry, last);
        found += rose as i32 - sank as i32;
    }
    found
}

fn main() {
    let mut text = Vec::with_capacity(1 << 16);
    io::stdin().lock().read_to_end(&mut text).unwrap();
    let mut out = Vec::new();
    for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let space = line.iter().position(|&byte| byte == b' ').unwrap();
        writeln!(out, "{}", distance(&line[..space], &line[space + 1..])).unwrap();
    }
    io::stdout().write_all(&out).unwrap();
}
