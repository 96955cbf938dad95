//! Miners of frequent, closed and maximal itemsets; knows integers only.
