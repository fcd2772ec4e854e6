//! Nothing of its own: the examples are beside it.
