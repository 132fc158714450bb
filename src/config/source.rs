//! Where a configuration comes from, and places in it.

use std::fmt;
use std::path::PathBuf;

/// Where a configuration comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// Text that the program itself holds.
    Text,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Stdin => f.write_str("<stdin>"),
            Self::Text => f.write_str("<text>"),
        }
    }
}

/// A configuration's text with its origin.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub(super) origin: Origin,
    pub(super) text: String,
}

impl Source {
    /// Returns the place at a line and column, both counted from 1.
    pub(super) fn place(&self, line: u64, column: u64) -> Box<Place> {
        let index = usize::try_from(line.saturating_sub(1)).unwrap_or(usize::MAX);
        let text = self.text.lines().nth(index).unwrap_or_default();
        Box::new(Place {
            origin: self.origin.clone(),
            line,
            column,
            text: text.trim_end().to_owned(),
        })
    }

    /// Returns the place of a line of the block of text that a place belongs to, as its key or its first line that is not
    /// empty; nothing if there is no such block.
    pub(super) fn line_of_block(&self, place: &Place, line: u64) -> Option<Box<Place>> {
        let announces = |text: &str| {
            let (text, _) = text.split_once(" #").unwrap_or((text, ""));
            let text = text
                .trim_end()
                .trim_end_matches(|c: char| c.is_ascii_digit() || "+-".contains(c));
            text.ends_with(['|', '>'])
        };
        let mut above = (1..=place.line).rev().map(|number| self.place(number, 1));
        let announcement = above.find(|above| {
            announces(&above.text) || (above.line != place.line && !above.text.trim().is_empty())
        })?;
        announces(&announcement.text).then(|| self.line(announcement.line + line))
    }

    /// Returns the place where a line's text begins.
    fn line(&self, line: u64) -> Box<Place> {
        let mut place = self.place(line, 1);
        place.column += place.text.chars().take_while(|c| c.is_whitespace()).count() as u64;
        place
    }
}

/// A place in a configuration. Displayed as a snippet: the position, and the line with a mark.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file, or what takes its place.
    pub origin: Origin,
    /// The line, from 1.
    pub line: u64,
    /// The column in characters, from 1.
    pub column: u64,
    /// The line's text.
    pub text: String,
}

impl Place {
    /// Returns the word that starts here: a key, or a plain or quoted scalar.
    pub(super) fn word(&self) -> &str {
        let skip = usize::try_from(self.column.saturating_sub(1)).unwrap_or(usize::MAX);
        let start = self.text.char_indices().nth(skip).map(|(at, _)| at);
        let rest = start.map_or("", |at| &self.text[at..]);
        let end = match rest.chars().next() {
            Some(quote @ ('"' | '\'')) => rest[1..].find(quote).map(|at| at + 2),
            _ => [": ", " #", ",", "]", "}"]
                .iter()
                .filter_map(|stop| rest.find(stop))
                .min(),
        };
        rest[..end.unwrap_or(rest.len())].trim_end_matches([':', ' '])
    }

    /// Returns the position alone, `file:line:column`.
    #[must_use]
    pub fn position(&self) -> String {
        format!("{}:{}:{}", self.origin, self.line, self.column)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        let before = usize::try_from(self.column.saturating_sub(1)).unwrap_or_default();
        // Tabs stay tabs, so that the mark stands under what it marks.
        let indent: String = self
            .text
            .chars()
            .take(before)
            .map(|c| if c == '\t' { '\t' } else { ' ' })
            .collect();
        let mark = "^".repeat(self.word().chars().count().max(1));
        writeln!(f, "{margin}--> {}", self.position())?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {}", self.text)?;
        write!(f, "{margin} | {indent}{mark}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str, column: u64) -> Box<Place> {
        let source = Source {
            origin: Origin::Text,
            text: text.to_owned(),
        };
        source.place(1, column)
    }

    #[test]
    fn words_end_where_yaml_ends_them() {
        assert_eq!(place("- role: worker # two", 3).word(), "role");
        assert_eq!(place("- role: worker # two", 9).word(), "worker");
        assert_eq!(place("a: {b: c, d: e}", 8).word(), "c");
        assert_eq!(place("a: \"x: y\" # z", 4).word(), "\"x: y\"");
        assert_eq!(place("nodes:", 1).word(), "nodes");
        assert_eq!(place("é: ü", 4).word(), "ü");
        assert_eq!(place("short", 40).word(), "");
    }

    #[test]
    fn the_mark_stands_under_the_word() {
        insta::assert_snapshot!(place("  rôle: x", 3), @r"
         --> <text>:1:3
          |
        1 |   rôle: x
          |   ^^^^
        ");
    }
}
