//! Command::new("decoy")
use std::process::Command; // hit: import
use std::process::Command as C; // hit: import
use std::{fs, process::{self, Command as D}}; // hit: import
use std::process; // hit: import
use crate::process::Command as Own;
use other::process as foreign;
/* Command::new("decoy") */
fn main() {
    Command::new("a").arg("b"); // hit: new
    C::new("a"); // hit: new
    D::new("a"); // hit: new
    process::Command::new("a"); // hit: new
    std::process::Command::new("a"); // hit: new
    ::std::process::Command::new("a"); // hit: new
    Own::new("a");
    foreign::Command::new("a");
    let text = "Command::new(\"decoy\")";
    let raw = r#"Command::new("decoy")"#;
    x.unwrap(); // hit: .unwrap
    x?.y().unwrap().z(); // hit: .unwrap
    let command = Command::new; 
    println!("{}", Command::new("in a macro: tokens, no tree"));
    String::new();
    let f = |c: Command| c.new("a");
    match x { Some(y) if C::new("a").ok() => C::new("b"), _ => D::new("c") }; // hit: new new new
    std::process::exit(1);
}
mod inner {
    use std::process::Command as Deep; // hit: import
    struct Command;
    fn f() {
        Deep::new("a"); // hit: new
        Command::new("this module's own");
    }
}
#[derive(Debug, Clone)]
struct A; // hit: Clone
#[derive(Debug)]
/// #[derive(Clone)]
struct B;
impl Clone for B { fn clone(&self) -> B { B } } // hit: Clone
impl std::clone::Clone for C2<T> { } // hit: Clone
impl B { }
trait Sub: Clone + Send { } // hit: Clone
