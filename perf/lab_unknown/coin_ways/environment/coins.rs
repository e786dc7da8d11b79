// Reads coins and amounts; prints in how many ways each amount can be paid, modulo 1,000,007.
use std::io::Read;

fn ways(coins: &Vec<usize>, amount: usize) -> u64 {
    let mut table: Vec<Vec<u64>> = Vec::new();
    for _ in 0..coins.len() + 1 {
        table.push(vec![0; amount + 1]);
    }
    for row in 0..coins.len() + 1 {
        table[row][0] = 1;
    }
    for row in 1..coins.len() + 1 {
        let above = table[row - 1].clone();
        for sum in 1..amount + 1 {
            let mut total = above[sum];
            let coin = coins[row - 1];
            if sum >= coin {
                total = total + table[row][sum - coin];
            }
            table[row][sum] = total % 1000007;
        }
    }
    let result = table.clone();
    result[coins.len()][amount]
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).unwrap();
    let lines: Vec<String> = text.lines().map(|l| l.to_string()).collect();
    let coins: Vec<usize> = lines[0].clone().split(' ').map(|w| w.parse().unwrap()).collect();
    let amounts: Vec<usize> = lines[1].clone().split(' ').map(|w| w.parse().unwrap()).collect();
    for amount in amounts.clone() {
        let sorted = { let mut copy = coins.clone(); copy.sort(); copy };
        println!("{}", ways(&sorted, amount));
    }
}
