"""An answer as an object of pydantic's: python person.py model.rondo"""
# shown from here
import sys
import rondo
from pydantic import BaseModel, Field

class Person(BaseModel, extra="forbid"):
    name: str = Field(max_length=20)
    age: int = Field(ge=0, le=130)

with rondo.Model(sys.argv[1]) as model, model.engine() as engine:
    with engine.session(json_schema=Person.model_json_schema()) as session:
        said = session.generate("Lily's name and age as JSON: ")
        person = Person.model_validate_json(said)
# shown to here
print(person)
