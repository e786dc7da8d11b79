//! Prints every value of a JSON document with its path.
use std::io::Read;

#[derive(Clone, Debug)]
enum Value {
    Object(Vec<(String, Value)>),
    List(Vec<Value>),
    Text(String),
    Word(String),
}

struct Parser {
    text: String,
    position: usize,
}

impl Parser {
    fn peek(&self) -> Option<char> {
        self.text[self.position..].chars().next()
    }

    fn next(&mut self) -> char {
        let found = self.peek().expect("more input");
        self.position += found.len_utf8();
        found
    }

    fn skip_space(&mut self) {
        while self.peek().map_or(false, |c| c.is_whitespace()) {
            self.next();
        }
    }

    fn expect(&mut self, wanted: char) {
        self.skip_space();
        let found = self.next();
        if found != wanted {
            panic!("expected {} and found {}", wanted, found);
        }
    }

    fn string(&mut self) -> String {
        self.expect('"');
        let mut result = String::new();
        loop {
            let c = self.next();
            if c == '"' {
                return result;
            }
            result = format!("{}{}", result, c);
            if c == '\\' {
                let escaped = self.next();
                result = format!("{}{}", result, escaped);
            }
        }
    }

    fn value(&mut self) -> Value {
        self.skip_space();
        match self.peek().expect("a value") {
            '{' => self.object(),
            '[' => self.list(),
            '"' => Value::Text(self.string()),
            _ => {
                let mut word = String::new();
                while self.peek().map_or(false, |c| c.is_alphanumeric() || c == '-') {
                    word.push(self.next());
                }
                Value::Word(word)
            }
        }
    }

    fn object(&mut self) -> Value {
        self.expect('{');
        let mut members = Vec::new();
        self.skip_space();
        if self.peek() == Some('}') {
            self.next();
            return Value::Object(members);
        }
        loop {
            self.skip_space();
            let key = self.string();
            self.expect(':');
            let value = self.value();
            members.push((key, value));
            self.skip_space();
            if self.next() == '}' {
                return Value::Object(members);
            }
        }
    }

    fn list(&mut self) -> Value {
        self.expect('[');
        let mut items = Vec::new();
        self.skip_space();
        if self.peek() == Some(']') {
            self.next();
            return Value::List(items);
        }
        loop {
            let value = self.value();
            items.push(value.clone());
            self.skip_space();
            if self.next() == ']' {
                return Value::List(items);
            }
        }
    }
}

fn flatten(value: &Value, path: String) -> Vec<String> {
    let mut lines = Vec::new();
    match value {
        Value::Object(members) => {
            for (key, member) in members.clone() {
                let inner = if path.is_empty() { key.clone() } else { format!("{}.{}", path, key) };
                for line in flatten(&member, inner) {
                    lines.push(line.clone());
                }
            }
        }
        Value::List(items) => {
            for (index, item) in items.clone().iter().enumerate() {
                for line in flatten(item, format!("{}[{}]", path, index)) {
                    lines.push(line.clone());
                }
            }
        }
        Value::Text(text) => lines.push(format!("{} = \"{}\"", path, text)),
        Value::Word(word) => lines.push(format!("{} = {}", path, word)),
    }
    lines
}

fn main() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("UTF-8 on standard input");
    let mut parser = Parser { text, position: 0 };
    let document = parser.value();
    let mut lines = flatten(&document, String::new());
    // Insertion sort: documents are small.
    for i in 1..lines.len() {
        let mut j = i;
        while j > 0 && lines[j - 1] > lines[j] {
            lines.swap(j - 1, j);
            j -= 1;
        }
    }
    for line in lines {
        println!("{}", line);
    }
}
