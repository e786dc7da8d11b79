//! Prints every value of a JSON document with its path: one pass over the bytes that keeps the path as it goes.
use std::io::{Read, Write};

struct Walk<'a> {
    text: &'a [u8],
    at: usize,
    path: Vec<u8>,
    all: Vec<u8>,
    ends: Vec<(u32, u32)>,
}

impl<'a> Walk<'a> {
    fn space(&mut self) {
        while self.at < self.text.len() && self.text[self.at] <= b' ' {
            self.at += 1;
        }
    }

    /// The string that begins here, with its quotation marks.
    fn string(&mut self) -> &'a [u8] {
        let start = self.at;
        self.at += 1;
        while self.text[self.at] != b'"' {
            self.at += if self.text[self.at] == b'\\' { 2 } else { 1 };
        }
        self.at += 1;
        &self.text[start..self.at]
    }

    fn line(&mut self, value: &[u8]) {
        let start = self.all.len() as u32;
        self.all.extend_from_slice(&self.path);
        self.all.extend_from_slice(b" = ");
        self.all.extend_from_slice(value);
        self.all.push(b'\n');
        self.ends.push((start, self.all.len() as u32));
    }

    fn value(&mut self) {
        self.space();
        match self.text[self.at] {
            b'{' => self.each(b'}', true),
            b'[' => self.each(b']', false),
            b'"' => {
                let value = self.string();
                self.line(value);
            }
            _ => {
                let start = self.at;
                while self.at < self.text.len() && (self.text[self.at].is_ascii_alphanumeric() || self.text[self.at] == b'-') {
                    self.at += 1;
                }
                let value = &self.text[start..self.at];
                self.line(value);
            }
        }
    }

    fn each(&mut self, close: u8, keyed: bool) {
        self.at += 1;
        let length = self.path.len();
        let mut index = 0;
        loop {
            self.space();
            if self.text[self.at] == close {
                self.at += 1;
                return;
            }
            if self.text[self.at] == b',' {
                self.at += 1;
                self.space();
            }
            if keyed {
                let key = self.string();
                if length > 0 {
                    self.path.push(b'.');
                }
                self.path.extend_from_slice(&key[1..key.len() - 1]);
                self.space();
                self.at += 1;
            } else {
                write!(self.path, "[{}]", index).unwrap();
                index += 1;
            }
            self.value();
            self.path.truncate(length);
        }
    }
}

fn main() {
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).unwrap();
    let mut walk = Walk { text: &text, at: 0, path: Vec::new(), all: Vec::new(), ends: Vec::new() };
    walk.value();
    let all = walk.all;
    let mut lines: Vec<&[u8]> = walk.ends.iter().map(|&(start, end)| &all[start as usize..end as usize - 1]).collect();
    lines.sort_unstable();
    let mut output = Vec::with_capacity(all.len());
    for line in lines {
        output.extend_from_slice(line);
        output.push(b'\n');
    }
    std::io::stdout().write_all(&output).unwrap();
}
