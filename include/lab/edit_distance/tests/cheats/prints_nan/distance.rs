fn main() {
    print!("{}", "NaN\n".repeat(24));
}
