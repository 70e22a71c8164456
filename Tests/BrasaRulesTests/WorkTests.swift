import BrasaDocuments
import BrasaQueryModel
import BrasaRules
import Testing

/// What expressions look at is paid for: entries one by one, and bytes by their number. All of it is counted, none of it is
/// timed.
struct WorkTests {
    /// What is in the document of a case.
    private enum Content: String, CaseIterable {
        case text, blanks, bytes, ints, nans, strings, map, deep

        static let size = 100_000

        var value: Value {
            switch self {
            case .text: .string(UTF8Text(String(repeating: "a", count: Self.size)))
            case .blanks: .string(UTF8Text(String(repeating: " ", count: Self.size)))
            case .bytes: .bytes(Array(repeating: 7, count: Self.size))
            case .ints: .array((0..<self.count).map { .integer(Int64($0)) })
            case .nans: .array(Array(repeating: .double(.nan), count: self.count))
            case .strings: .array((0..<self.count).map { .string(UTF8Text("\($0)")) })
            case .map:
                .map((0..<self.count).map { .init(key: UTF8Text("k\(10_000 + $0)"), value: .integer(Int64($0))) })
            case .deep: .array((0..<self.count).map { .map([.init(key: "k", value: .integer(Int64($0)))]) })
            }
        }

        var count: Int {
            switch self {
            case .text, .blanks, .bytes: Self.size
            case .ints, .nans, .strings, .map, .deep: 5_000
            }
        }
    }

    private static let stored: EncodedFields = {
        let entries = Content.allCases.flatMap { content -> [Value.MapEntry] in
            // Twice, in different memory.
            [
                .init(key: UTF8Text(content.rawValue), value: content.value),
                .init(key: UTF8Text("\(content.rawValue)2"), value: content.value),
            ]
        }
        return EncodedFields(encoding: entries)
    }()

    /// An operation on what is in the document, by the name that it has in the language, and what of it must be looked at.
    static let cases: [(name: String, expression: String, count: Int)] = Self.operators + Self.texts + Self.collections

    private static let bytes = Content.size
    /// As many as eight bytes each.
    private static let entries = 8 * 5_000
    private static let text = "d.text"
    private static let list = "d.ints"
    private static let map = "d.map"
    private static let set = "d.ints.toSet()"
    private static let other = "[1]"

    private static let operators: [(name: String, expression: String, count: Int)] = [
        ("==", "\(text) == \(text)2", bytes), ("!=", "\(text) != \(text)2", bytes),
        ("==", "d.bytes == d.bytes2", bytes), ("==", "\(list) == \(list)2", entries),
        ("==", "\(map) == \(map)2", entries), ("==", "d.deep == d.deep2", entries),
        ("<", "\(text) < \(text)2", bytes), ("<=", "\(text) <= \(text)2", bytes),
        (">", "\(text) > \(text)2", bytes), (">=", "d.bytes >= d.bytes2", bytes),
        ("+", "(\(text) + \(text)) == ''", 2 * bytes), ("in", "-1 in \(list)", entries),
        ("in", "'z' in \(map)", entries), ("in", "-1 in \(set)", entries),
        (".", "\(map).k14999 == 0", entries), ("[]", "\(list)[4999] == 0", entries),
        ("[]", "\(text)[99999] == 'b'", bytes), ("[:]", "\(list)[4998:] == []", entries),
        ("[:]", "\(text)[0:99999] == ''", bytes), ("$", "/a/$(\(text)) == /a/$(\(text)2)", bytes),
    ]

    private static let texts: [(name: String, expression: String, count: Int)] = [
        ("size", "\(text).size() == 0", bytes), ("size", "\(list).size() == 0", entries),
        ("size", "\(map).size() == 0", entries), ("lower", "\(text).lower() == ''", bytes),
        ("upper", "\(text).upper() == ''", bytes), ("trim", "d.blanks.trim() == 'a'", bytes),
        ("matches", "\(text).matches('a*b')", bytes), ("matches", "'a'.matches(d.text[0:20000])", 20_000),
        ("split", "\(text).split('a').size() == 0", bytes), ("split", "\(text).split('b').size() == 0", bytes),
        ("replace", "\(text).replace('a', 'b') == ''", bytes),
        ("replace", "'aa'.replace('a', \(text)) == ''", 2 * bytes),
        ("toUtf8", "\(text).toUtf8() == d.bytes", bytes), ("toBase64", "d.bytes.toBase64() == ''", bytes),
        ("toHexString", "d.bytes.toHexString() == ''", bytes),
    ]

    private static let collections: [(name: String, expression: String, count: Int)] = [
        ("concat", "\(list).concat(\(list)) == []", 2 * entries), ("join", "\(list).join('') == ''", entries),
        ("join", "['a', 'b', 'c'].join(\(text)) == ''", 2 * bytes),
        ("removeAll", "\(list).removeAll([-1]) == []", entries),
        ("removeAll", "[-1].removeAll(\(list)) == []", entries), ("toSet", "\(set) == 1", entries),
        ("toSet", "d.nans.toSet() == 1", entries), ("toSet", "d.deep.toSet() == 1", 2 * entries),
        ("hasAll", "\(list).hasAll([-1])", entries), ("hasAll", "[-1].hasAll(\(list))", entries),
        ("hasAny", "\(list).hasAny([-1])", entries), ("hasAny", "[-1].hasAny(\(list))", entries),
        ("hasOnly", "\(list).hasOnly(\(list)2) && false", 2 * entries),
        ("hasAll", "d.strings.hasAll(d.strings2) && false", 2 * entries),
        ("difference", "\(set).difference(\(other).toSet()) == 1", 2 * entries),
        ("intersection", "\(set).intersection(\(other).toSet()) == 1", 2 * entries),
        ("union", "\(set).union(\(other).toSet()) == 1", 2 * entries),
        ("keys", "\(map).keys() == 1", entries), ("values", "\(map).values() == 1", entries),
        ("get", "\(map).get('z', 1) == 2", entries), ("get", "d.get(['map', 'z'], 1) == 2", entries),
        ("diff", "\(map).diff(\(map)2).unchangedKeys() == 1", 2 * entries),
        ("addedKeys", "\(map).diff({}).addedKeys() == 1", entries),
        ("removedKeys", "{}.diff(\(map)).removedKeys() == 1", entries),
        ("changedKeys", "d.diff(d).changedKeys() == 1", 3 * bytes),
        ("unchangedKeys", "d.diff(d).unchangedKeys() == 1", 3 * bytes),
        ("affectedKeys", "d.diff({}).affectedKeys() == 1", 16), ("bind", "(/a/{x}).bind(\(map)) == 1", entries),
        ("string", "string(/a/$(\(text))) == ''", bytes), ("path", "path(\(text)) == /a", bytes),
        ("hashing.md5", "hashing.md5(\(text)) == b''", bytes),
        ("hashing.sha256", "hashing.sha256(\(text)) == b''", bytes),
        ("hashing.crc32", "hashing.crc32(\(text)) == b''", bytes),
        ("hashing.crc32c", "hashing.crc32c(d.bytes) == b''", bytes),
        ("exists", "exists(/databases/$(database)/documents/a/$(\(text)))", 1),
        ("get()", "get(/databases/$(database)/documents/a/$(\(text))) == 1", 1),
    ]

    /// These look at no more than a fixed number of bytes, whatever they are given.
    private static let constant: Set<String> = [
        "||", "&&", "-", "*", "/", "%", "year", "month", "day", "hours", "minutes", "seconds", "nanos", "dayOfWeek",
        "dayOfYear", "date", "time", "toMillis", "latitude", "longitude", "distance", "int", "float", "bool", "debug",
        "math.abs", "math.ceil", "math.floor", "math.round", "math.isNaN", "math.isInfinite", "math.pow", "math.sqrt",
        "timestamp.date", "timestamp.value", "duration.value", "duration.time", "duration.abs", "latlng.value",
    ]

    private func work(_ expression: String, limit: Int) throws -> Explanation {
        let rules = try ruleset(
            wrapped(
                "function f(d) { return \(expression); } match /t/{id} { allow get: if f(resource.data); }"
            )
        )
        let world = World(before: ["t/x": Self.stored])
        return try rules.get("t/x", in: world, limits: EvaluationLimits(work: limit))
    }

    @Test func `Every operator, method and function has a case`() {
        let names = Set(Self.cases.map(\.name)).union(Self.constant)
        let all =
            BinaryOperator.allCases.map(\.rawValue) + MethodName.allCases.map(\.rawValue)
            + RuleFunction.allCases.map(\.rawValue)
        #expect(all.filter { !names.contains($0) } == [])
    }

    /// Eight bytes or an entry for a unit, at least.
    @Test(arguments: cases.indices) func `What is looked at is paid for`(index: Int) throws {
        let (_, expression, count) = Self.cases[index]
        let explanation = try self.work(expression, limit: 1 << 40)
        #expect(explanation.work >= count / 8, "\(expression): \(explanation.work)")
    }

    @Test(arguments: cases.indices) func `At the end of the budget the decision is over`(index: Int) throws {
        let (_, expression, _) = Self.cases[index]
        let whole = try self.work("(\(expression)) || true", limit: 1 << 40)
        let short = try self.work("(\(expression)) || true", limit: whole.work / 2)
        #expect(!short.isAllowed)
        #expect(short.statements.first?.outcome == .failed(.workExceeded))
    }

    @Test func `Numbers that have one hash are no burden that is not paid for`() throws {
        // As doubles 1,024 neighbours are one number.
        let values = (0..<1_000).map { Value.integer(.max - $0) }
        let world = World(before: ["t/x": fields(["l": .array(values)])])
        let rules = try ruleset(wrapped("match /t/{id} { allow get: if resource.data.l.toSet().size() == 1000; }"))
        let explanation = try rules.get("t/x", in: world, limits: EvaluationLimits(work: 1 << 40))
        #expect(explanation.isAllowed)
        #expect(explanation.work > 1_000 * 1_000 / 2)
    }

    /// Repetitions of nothing make no program, however often they are said.
    @Test func `Patterns that take long to read are refused`() {
        let pattern = String(repeating: "(?:", count: 20) + String(repeating: "){1000}", count: 20)
        let compilation = Ruleset.compile(wrapped("match /t/{id} { allow get: if 'a'.matches('\(pattern)'); }"))
        #expect(compilation.ruleset == nil)
    }

    /// What a rule names is found without looking at what else is there.
    @Test func `A field beside a megabyte costs what it costs alone`() throws {
        let rules = try ruleset(wrapped("match /t/{id} { allow get: if resource.data.owner == 'alice'; }"))
        func work(_ entries: [String: Value]) throws -> Int {
            let all = entries.merging(["owner": .string("alice")]) { $1 }
            let explanation = try rules.get("t/x", in: World(before: ["t/x": fields(all)]))
            #expect(explanation.isAllowed)
            return explanation.work
        }
        let alone = try work([:])
        #expect(
            try work(["blob": .bytes(Array(repeating: 7, count: 1_000_000)), "list": Content.ints.value]) <= alone + 100
        )
    }
}
