//! Many at the same moment: processes over one Redis, tasks over one memory.

mod processes;
mod tasks;
