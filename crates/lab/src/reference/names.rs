//! Names of documents as numbers.

use std::collections::HashMap;

/// Names of documents, each with a number from 0 in the order in which it was first met.
///
/// ```
/// use retold_lab::reference::Names;
/// let mut names = Names::default();
/// assert_eq!((names.number("b"), names.number("a"), names.number("b")), (0, 1, 0));
/// assert_eq!(names.name(1), "a");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
}

impl Names {
    /// Returns the number of a name, a new one if it is new.
    ///
    /// *Panics* beyond 4,294,967,295 names, which take more memory than they are given.
    pub fn number(&mut self, name: &str) -> u32 {
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        let number = u32::try_from(self.names.len()).expect("fewer names than numbers");
        self.names.push(name.into());
        self.numbers.insert(name.into(), number);
        number
    }

    /// Returns the number of a name that is known.
    pub fn get(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// Returns the name of a number.
    ///
    /// *Panics* if there is no such number.
    pub fn name(&self, number: u32) -> &str {
        &self.names[number as usize]
    }

    /// Returns how many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }
}
