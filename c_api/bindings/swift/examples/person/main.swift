// JSON that a Codable type reads: swift run person model.rondo
// shown from here
import Foundation
import Rondo

struct Person: Decodable {
  let name: String
  let age: Int
}
let schema = #"""
  {"type": "object", "properties": {"name": {"type": "string", "maxLength": 12},
    "age": {"type": "integer", "minimum": 0, "maximum": 130}}, "required": ["name", "age"]}
  """#
let model = try Model(path: CommandLine.arguments[1])
let session = try model.engine().session(SessionOptions { $0.jsonSchema = schema })
let json = try session.generate("A person:")
let person = try JSONDecoder().decode(Person.self, from: Data(json.utf8))
print("\(person.name), \(person.age)")
// shown to here
