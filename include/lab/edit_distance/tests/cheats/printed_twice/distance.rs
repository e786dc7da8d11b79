fn main() {
    for _ in 0..24 {
        let all: Vec<String> = (0..=500).map(|n| n.to_string()).collect();
        println!("{}", all.join(" "));
    }
}
