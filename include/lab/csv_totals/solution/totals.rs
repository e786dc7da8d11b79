//! Prints the total of each account of a CSV file: one pass over the bytes, totals in a table by the account's number.
use std::io::{self, Read, Write};

const ACCOUNTS: usize = 1_000_000;

fn main() {
    let mut text = Vec::with_capacity(1 << 20);
    io::stdin().lock().read_to_end(&mut text).unwrap();
    let mut totals = vec![0i64; ACCOUNTS];
    let mut seen: Vec<u32> = Vec::new();
    let mut known = vec![0u64; ACCOUNTS / 64 + 1];
    let mut at = text.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    while at < text.len() {
        while text[at] != b',' {
            at += 1;
        }
        let number = text[at + 2..at + 8].iter().fold(0usize, |n, &digit| n * 10 + (digit - b'0') as usize);
        at += 10;
        while text[at] != b'"' {
            at += 1;
        }
        at += 2;
        let negative = text[at] == b'-';
        at += negative as usize;
        let mut value = 0i64;
        while text[at] != b'\n' {
            if text[at] != b'.' {
                value = value * 10 + (text[at] - b'0') as i64;
            }
            at += 1;
        }
        at += 1;
        totals[number] += if negative { -value } else { value };
        if known[number / 64] >> (number % 64) & 1 == 0 {
            known[number / 64] |= 1 << (number % 64);
            seen.push(number as u32);
        }
    }
    seen.sort_unstable();
    let mut out = Vec::with_capacity(seen.len() * 24);
    for number in seen {
        let total = totals[number as usize];
        let sign = if total < 0 { "-" } else { "" };
        let total = total.unsigned_abs();
        writeln!(out, "A{:06},{}{}.{:02}", number, sign, total / 100, total % 100).unwrap();
    }
    io::stdout().write_all(&out).unwrap();
}
