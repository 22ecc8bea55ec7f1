//! Words in nested brackets, broken into lines.

/// What is between words and how long lines may be.
pub(super) struct Lines<'a> {
    pub(super) words: &'a [String],
    /// The lengths of the axes as shown, and as they are: what lies between is left out.
    pub(super) shown: &'a [usize],
    pub(super) shape: &'a [usize],
    pub(super) separator: &'a str,
}

/// Stands for what is left out.
const GAP: &str = "...";

impl Lines<'_> {
    /// The whole array; lines after the first are indented.
    pub(super) fn text(&self, indent: usize, width: usize) -> String {
        self.nested(0, 0, indent, width as i64)
    }

    /// The part of the array from `axis` on whose first word is `at`. Widths become negative in deep nesting.
    fn nested(&self, axis: usize, at: usize, indent: usize, width: i64) -> String {
        let Some(rest) = self.shown.get(axis + 1..) else {
            return self.words[at].clone();
        };
        let n = self.shown[axis];
        let gap_at = if n < self.shape[axis] { Some(n / 2) } else { None };
        let step: usize = rest.iter().product();
        let text = if rest.is_empty() {
            self.row(&self.words[at..at + n], gap_at, indent + 1, width)
        } else {
            let between = format!("{}{}", self.separator.trim_end(), "\n".repeat(rest.len()));
            let mut items = Vec::new();
            for i in 0..n {
                if gap_at == Some(i) {
                    items.push(GAP.into());
                }
                items.push(self.nested(axis + 1, at + i * step, indent + 1, width - 1));
            }
            items.join(&format!("{between}{}", " ".repeat(indent + 1)))
        };
        format!("[{text}]")
    }

    /// The innermost axis: as many words to a line as go.
    fn row(&self, words: &[String], gap_at: Option<usize>, indent: usize, width: i64) -> String {
        let indent = " ".repeat(indent);
        // A closing bracket or a separator follows every word.
        let width = width - self.separator.trim_end().len().max(1) as i64;
        let (mut done, mut line) = (String::new(), indent.clone());
        let mut put = |word: &str, last: bool| {
            // A word too long for any line is not helped by a new one.
            if (line.len() + word.len()) as i64 > width && line.len() > indent.len() {
                done.push_str(line.trim_end());
                done.push('\n');
                line.clone_from(&indent);
            }
            line.push_str(word);
            if !last {
                line.push_str(self.separator);
            }
        };
        for (i, word) in words.iter().enumerate() {
            if gap_at == Some(i) {
                put(GAP, false);
            }
            put(word, i + 1 == words.len());
        }
        done.push_str(&line);
        done[indent.len()..].into()
    }
}
