//! Recordings of a device's results, and their file format: one deflated stream of a JSON header and the bytes of the
//! results, form by form.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::Path;

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use serde_json::{Value, json};

/// A device's results of all forms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recording {
    /// The device, its target, driver and compiler.
    pub made_by: String,
    /// The seed of the operands.
    pub seed: u64,
    /// The results of each form.
    pub answers: Vec<Answer>,
}

/// The results of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The name of the form.
    pub form: String,
    /// The results: little-endian, of the result's width, all tuples of one result after those of the other.
    pub results: Vec<u8>,
    /// The reason if there are none.
    pub rejected: Option<String>,
}

impl Recording {
    /// Writes the file.
    ///
    /// # Errors
    ///
    /// Returns errors of the file system.
    pub fn write(&self, path: &Path) -> Result<()> {
        let forms: Vec<Value> = self.answers.iter().map(|a| json!([a.form, a.results.len(), a.rejected])).collect();
        let head = json!({"by": self.made_by, "seed": self.seed, "forms": forms}).to_string();
        let mut out = ZlibEncoder::new(std::fs::File::create(path)?, Compression::best());
        out.write_all(&(head.len() as u64).to_le_bytes())?;
        out.write_all(head.as_bytes())?;
        for answer in &self.answers {
            out.write_all(&answer.results)?;
        }
        out.finish()?.flush()
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// Returns errors of the file system, and an error for a file that is not a recording.
    pub fn read(path: &Path) -> Result<Recording> {
        let mut bytes = Vec::new();
        ZlibDecoder::new(std::fs::File::open(path)?).read_to_end(&mut bytes)?;
        parse(&bytes).ok_or_else(|| Error::new(ErrorKind::InvalidData, format!("{} is no recording", path.display())))
    }
}

fn parse(bytes: &[u8]) -> Option<Recording> {
    let (length, rest) = bytes.split_first_chunk::<8>()?;
    let (head, mut rest) = rest.split_at_checked(usize::try_from(u64::from_le_bytes(*length)).ok()?)?;
    let head: Value = serde_json::from_slice(head).ok()?;
    let mut answers = Vec::new();
    for form in head["forms"].as_array()? {
        let (results, after) = rest.split_at_checked(form[1].as_u64()? as usize)?;
        rest = after;
        answers.push(Answer {
            form: form[0].as_str()?.into(),
            results: results.to_vec(),
            rejected: form[2].as_str().map(String::from),
        });
    }
    Some(Recording { made_by: head["by"].as_str()?.into(), seed: head["seed"].as_u64()?, answers })
}
