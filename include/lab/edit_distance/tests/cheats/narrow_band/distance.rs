//! Prints Levenshtein's distance of each pair of strings.
use std::io::{self, BufRead};

fn distance(from: &[char], to: &[char]) -> usize {
    let mut table = vec![vec![0; to.len() + 1]; from.len() + 1];
    for i in 0..=from.len() {
        for j in 0..=to.len() {
            if i.abs_diff(j) > 40 {
                table[i][j] = i + j;
                continue;
            }
            table[i][j] = if i == 0 {
                j
            } else if j == 0 {
                i
            } else {
                let replaced = table[i - 1][j - 1] + (from[i - 1] != to[j - 1]) as usize;
                let deleted = table[i - 1][j] + 1;
                let inserted = table[i][j - 1] + 1;
                *[replaced, deleted, inserted].iter().min().unwrap()
            };
        }
    }
    table[from.len()][to.len()]
}

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let (from, to) = line.split_once(' ').unwrap();
        let from: Vec<char> = from.chars().collect();
        let to: Vec<char> = to.chars().collect();
        println!("{}", distance(&from, &to));
    }
}
