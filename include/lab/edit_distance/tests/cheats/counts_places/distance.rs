use std::io::{self, BufRead};

fn main() {
    for line in io::stdin().lock().lines().map(Result::unwrap) {
        let (from, to) = line.split_once(' ').unwrap();
        println!("{}", from.bytes().zip(to.bytes()).filter(|(a, b)| a != b).count());
    }
}
