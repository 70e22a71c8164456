import BrasaDocuments
import BrasaQueryModel
import BrasaRules
import Testing

/// Random conditions over random documents: evaluation never traps, keeps to its budget, and comes to one result.
struct EvaluationPropertyTests {
    private struct Generator {
        var random: SeededRandom

        static let leaves = [
            "null", "true", "false", "0", "1", "-1", "9223372036854775807", "1.5", "0.0", "float('NaN')", "''", "'a'",
            "'😀é'", "b'\\xff'", "[]", "[1, 'a']", "{}", "{'a': 1}", "/a/b", "/{x}", "[1].toSet()", "request.time", "p",
            "duration.value(1, 'd')", "latlng.value(1, 2)", "{'a': 1}.diff({})", "request", "resource", "resource.data",
            "resource.data.a", "resource.data.m.b", "request.auth", "request.auth.uid", "id", "nosuch", "request.path",
        ]
        static let operators = ["||", "&&", "in", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"]
        static let methods = [
            "size", "lower", "upper", "trim", "matches", "split", "replace", "toUtf8", "toBase64", "toHexString",
            "concat",
            "join", "removeAll", "toSet", "hasAll", "hasAny", "hasOnly", "difference", "intersection", "union", "keys",
            "values", "get", "diff", "addedKeys", "affectedKeys", "bind", "year", "dayOfYear", "date", "time",
            "seconds",
            "nanos", "latitude", "distance", "nosuch",
        ]
        static let functions = [
            "int", "float", "string", "bool", "path", "debug", "get", "exists", "getAfter", "math.abs", "math.round",
            "math.pow", "hashing.md5", "hashing.crc32", "timestamp.value", "timestamp.date", "duration.value",
            "duration.time", "latlng.value", "f", "g", "nosuch",
        ]
        static let types = ["bool", "int", "float", "number", "list", "map", "path", "string", "set", "timestamp"]

        mutating func expression(_ depth: Int) -> String {
            if depth == 0 || self.random.chance(6) { return self.random.pick(Self.leaves) }
            func inner(_ generator: inout Generator) -> String { "(\(generator.expression(depth - 1)))" }
            switch self.random.below(12) {
            case 0...4: return "\(inner(&self)) \(self.random.pick(Self.operators)) \(inner(&self))"
            case 5: return "\(self.random.pick(["!", "-"]))\(inner(&self))"
            case 6: return "\(inner(&self)) ? \(inner(&self)) : \(inner(&self))"
            case 7: return "\(inner(&self)) is \(self.random.pick(Self.types))"
            case 8: return "\(inner(&self))[\(inner(&self))]"
            case 9: return "\(inner(&self))[\(inner(&self)):\(inner(&self))]"
            case 10:
                let arguments = (0..<self.random.below(3)).map { _ in inner(&self) }.joined(separator: ", ")
                return "\(inner(&self)).\(self.random.pick(Self.methods))(\(arguments))"
            default:
                let arguments = (0..<(1 + self.random.below(3))).map { _ in inner(&self) }.joined(separator: ", ")
                return "\(self.random.pick(Self.functions))(\(arguments))"
            }
        }

        mutating func value(_ depth: Int) -> Value {
            switch self.random.below(depth == 0 ? 9 : 11) {
            case 0: .null
            case 1: .boolean(self.random.chance(2))
            case 2: .integer(self.random.pick([0, 1, -1, .max, .min]))
            case 3: .double(self.random.pick([0, -0.0, 1.5, .nan, .infinity]))
            case 4: .string(self.random.pick(["", "a", "😀", "true", "/a/b"]))
            case 5: .bytes([0, 255])
            case 6: .timestamp(self.random.pick([.earliest, .latest, now]))
            case 7: .geoPoint(latitude: 90, longitude: -180)
            case 8: .vector([1, 2])
            case 9: .array((0..<self.random.below(3)).map { _ in self.value(0) })
            default: map(["a": self.value(depth - 1), "b": self.value(depth - 1)])
            }
        }
    }

    @Test(arguments: 1...8) func `Evaluation ends within its budget, watched or not`(seed: UInt64) throws {
        var generator = Generator(random: SeededRandom(seed: seed))
        var judged = 0
        for _ in 0..<250 {
            let condition = generator.expression(1 + generator.random.below(5))
            let source = wrapped(
                """
                function f(a) { let b = a; return b == a || a; }
                function g(a) { return f(a); }
                match /t/{id} { allow get: if \(condition); }
                match /{p=**} { allow get: if \(condition); }
                """
            )
            guard let rules = Ruleset.compile(source).ruleset else { continue }
            judged += 1
            let world = World(before: ["t/x": fields(["a": generator.value(2), "m": generator.value(2)])])
            let limit = generator.random.pick([3, 30, 1_000])
            let explanation = try rules.get("t/x", as: user("alice"), in: world, limits: .init(expressions: limit))
            let steps = explanation.statements.reduce(0) { $0 + $1.evaluations.count }
            // An expression that ends the budget is told of by all that are around it.
            #expect(explanation.statements.count <= 2 && steps <= limit + 100, "\(condition)")
            for statement in explanation.statements {
                for evaluation in statement.evaluations { _ = evaluation.value?.debugText }
            }
        }
        #expect(judged > 200)
    }
}
