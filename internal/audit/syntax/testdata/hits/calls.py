"""Decoys: os.system("in a docstring"), eval("x")."""
import os
import os as o
import os.path
import subprocess as sp
from os import system, popen
from os import system as s
from builtins import eval as ev

# os.system("in a comment"); eval("x")
TEXT = "os.system('in a string')" 'eval("x")'
FORMATTED = f"{os.getcwd()} os.system('x')"


def plain():
    os.system("a")  # hit: os.system .system
    o.system("b")  # hit: os.system .system
    system("c")  # hit: os.system
    s("d")  # hit: os.system
    (os).system("e")  # hit: os.system .system
    os . system("f")  # hit: os.system .system
    print(f"{os.system('g')}")  # hit: os.system .system
    os.system  # not called
    os.systems("h")
    my.os.system("i")  # hit: .system


def aliases():
    run = os.system
    run("a")  # hit: os.system
    again = run
    again("b")  # hit: os.system
    module = o
    module.system("c")  # hit: os.system .system


def hidden(os):
    os.system("a parameter")  # hit: .system


def assigned():
    system = print
    system("not that of os")


class Shell:
    def system(self, command):
        return command

    def use(self):
        self.system("a")  # hit: .system
        system("b")  # hit: os.system


def inner():
    from os import system as deep
    return [deep(x) for x in ("a", "b")]  # hit: os.system


def comprehension():
    return [os for os in ("a",) if os.system]


def outer_name():
    deep("not imported here")


def dangerous(text):
    eval(text)  # hit: eval
    ev(text)  # hit: eval
    frame.eval(text)
    sp.run(text, shell=True)  # hit: subprocess.*
    sp.Popen(text)  # hit: subprocess.*
    os.path.join("a")


@decorate(os.system("x"))  # hit: os.system .system
def decorated(default=os.system("y")):  # hit: os.system .system
    lambda: os.system("z")  # hit: os.system .system


match plain():
    case o.Point(x=1):
        os.system("in a case")  # hit: os.system .system

type(plain).attr = 1
(builder
    .start()
    .system(  # hit: .system
        "over lines"))
first = second = third = os.system("once")  # hit: os.system .system
a = b = os.system
a("c")  # hit: os.system
