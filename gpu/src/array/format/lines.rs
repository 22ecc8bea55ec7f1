//! Layout of formatted elements in nested brackets, broken into lines.
//!
//! Lines are broken where NumPy breaks them, including the summary of long axes by an ellipsis.

/// Formatted elements with their separator and shape.
pub(super) struct Lines<'a> {
    /// The formatted elements, in C order.
    pub(super) words: &'a [String],
    /// The shape as shown, and the full shape: the difference is elided.
    pub(super) shown: &'a [usize],
    /// Shape of the array.
    pub(super) shape: &'a [usize],
    /// The number of items shown at each end of an axis that is abbreviated.
    pub(super) edge: Option<usize>,
    /// Text between elements.
    pub(super) separator: &'a str,
}

/// The mark of elided items.
const GAP: &str = "...";

impl Lines<'_> {
    /// Formats the whole array; lines after the first are indented.
    pub(super) fn text(&self, indent: usize, width: i64) -> String {
        self.nested(0, 0, indent, width)
    }

    /// Returns the items of an axis that are shown, in order, with `None` for the gap.
    fn items(&self, axis: usize) -> impl Iterator<Item = Option<usize>> {
        let n = self.shown[axis];
        let edge = self.edge.filter(|edge| edge.saturating_mul(2) < self.shape[axis]);
        let (leading, trailing) = edge.map_or((0, n), |edge| (edge, edge.max(1)));
        (0..leading).map(Some).chain(edge.map(|_| None)).chain((n - trailing..n).map(Some))
    }

    /// Formats the part of the array from `axis` on whose first word is `at`. The width becomes negative in deep
    /// nesting.
    fn nested(&self, axis: usize, at: usize, indent: usize, width: i64) -> String {
        let Some(rest) = self.shown.get(axis + 1..) else {
            return self.words[at].clone();
        };
        let step: usize = rest.iter().product();
        let text = if rest.is_empty() {
            self.row(axis, at, indent + 1, width)
        } else {
            let between = format!("{}{}", self.separator.trim_end(), "\n".repeat(rest.len()));
            let item = |i: usize| self.nested(axis + 1, at + i * step, indent + 1, width - 1);
            let items: Vec<String> = self.items(axis).map(|i| i.map_or(GAP.into(), item)).collect();
            items.join(&format!("{between}{}", " ".repeat(indent + 1)))
        };
        format!("[{text}]")
    }

    /// Formats the innermost axis, filling lines.
    fn row(&self, axis: usize, at: usize, indent: usize, width: i64) -> String {
        let indent = " ".repeat(indent);
        // A closing bracket or a separator follows every word.
        let width = width - self.separator.trim_end().chars().count().max(1) as i64;
        let mut row = Row { done: String::new(), line: indent.clone(), indent: &indent, width };
        for (i, item) in self.items(axis).enumerate() {
            if i > 0 {
                row.line.push_str(self.separator);
            }
            row.put(item.map_or(GAP, |i| &self.words[at + i]));
        }
        row.done.push_str(&row.line);
        row.done[indent.len()..].into()
    }
}

/// A row being filled.
struct Row<'a> {
    /// Finished lines.
    done: String,
    /// The line in progress.
    line: String,
    /// Beginning of each further line.
    indent: &'a str,
    /// Characters of a line, at most.
    width: i64,
}

impl Row<'_> {
    /// Appends a word, which may have several lines if a user's formatter wrote it.
    fn put(&mut self, word: &str) {
        let length = |text: &str| text.chars().count();
        let widest = word.lines().map(length).max().unwrap_or(0);
        let mut indent = " ".repeat(length(&self.line));
        // A line break does not help a word that is too long for any line.
        if (length(&self.line) + widest) as i64 > self.width && self.line.len() > self.indent.len() {
            self.end();
            self.line.push_str(self.indent);
            indent = self.indent.into();
        }
        let mut last = 0;
        for (i, part) in word.lines().enumerate() {
            if i > 0 {
                self.end();
                self.line.push_str(&indent);
            }
            self.line.push_str(part);
            last = length(part);
        }
        if word.contains('\n') {
            self.line.push_str(&" ".repeat(widest - last));
        }
    }

    fn end(&mut self) {
        self.done.push_str(self.line.trim_end());
        self.done.push('\n');
        self.line.clear();
    }
}
