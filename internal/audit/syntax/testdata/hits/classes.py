"""class Decoy(BaseModel): pass"""
import pydantic
import pydantic as pyd
from pydantic import BaseModel
from pydantic import BaseModel as BM
from typing import Generic, TypedDict
from .models import BaseModel as Own


class A(BaseModel):  # hit: BaseModel pydantic.BaseModel
    """class Inner(BaseModel): pass"""


class B(BM): ...  # hit: BaseModel pydantic.BaseModel
class C(pydantic.BaseModel): ...  # hit: BaseModel pydantic.BaseModel
class D(pyd.BaseModel, Generic[T]): ...  # hit: BaseModel pydantic.BaseModel
class E(pyd.main.BaseModel[int]): ...  # hit: BaseModel
class F(A): ...  # hit: BaseModel pydantic.BaseModel
class G(F, object): ...  # hit: BaseModel pydantic.BaseModel
class H(Own): ...  # hit: BaseModel
class I(object, metaclass=BaseModel): ...
class J(BaseModelish): ...
class K: ...
class L(K): ...
class M(M): ...
class State(TypedDict): ...
# class N(BaseModel): ...
BaseModel()
