def eval(text):
    return text


eval("the file's own")


def star():
    from os import *
    system("all of os")  # hit: os.system


try:
    from os import system
except ImportError:
    system = None
system("either")  # hit: os.system


def changes():
    global system
    system = len


async def waits():
    await system("z")  # hit: os.system
