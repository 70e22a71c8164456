internal import BrasaDocuments
internal import Foundation
internal import Yams

/// Documents' values. YAML has most of them; the others have tags of their own.
extension CaseNode {
    /// What the tags stand for.
    private enum Word: String {
        case reference = "!reference"
        case place = "!geopoint"
        case vector = "!vector"
        /// The request's time: what a server timestamp becomes.
        case now = "!now"
        /// Of a merge: the field goes.
        case delete = "!delete"
    }

    var isDeletion: Bool { self.tag == Word.delete.rawValue }

    /// Recurses as deep as the file nests.
    func value(at time: Timestamp, depth: Int = 0) throws(RuleCaseError) -> Value {
        guard depth <= Limits.nestingMax else { throw self.error("values are nested too deep") }
        if let word = Word(rawValue: self.tag) { return try self.value(word, time) }
        guard !self.tag.hasPrefix("!") else { throw self.error("\(self.tag) is no kind of value") }
        switch self.node {
        case .mapping: return .map(sorting: try self.fields(at: time, depth: depth))
        case .sequence(let sequence):
            var elements: [Value] = []
            for node in sequence {
                let element = try CaseNode(node: node).value(at: time, depth: depth + 1)
                if case .array = element { throw CaseNode(node: node).error("a list in a list is no value") }
                elements.append(element)
            }
            return .array(elements)
        case .scalar(let scalar): return try self.scalar(scalar)
        case .alias: throw self.error("no value")
        }
    }

    func fields(at time: Timestamp, depth: Int = 0) throws(RuleCaseError) -> [Value.MapEntry] {
        var entries: [Value.MapEntry] = []
        for (key, value) in try self.entries("fields") {
            entries.append(
                Value.MapEntry(key: UTF8Text(key), value: try value.value(at: time, depth: depth + 1))
            )
        }
        return entries
    }

    private func scalar(_ scalar: Node.Scalar) throws(RuleCaseError) -> Value {
        switch self.node.tag.rawValue {
        case Tag.Name.null.rawValue: return .null
        case Tag.Name.bool.rawValue: return .boolean(scalar.string == "true")
        case Tag.Name.int.rawValue:
            guard let int = self.node.int else { throw self.error("\(scalar.string) is too large for a number") }
            return .integer(Int64(int))
        case Tag.Name.float.rawValue:
            guard let float = self.node.float else { throw self.error("\(scalar.string) is no number") }
            return .double(float)
        case Tag.Name.timestamp.rawValue:
            guard let date = self.node.timestamp else { throw self.error("\(scalar.string) is no time") }
            return .timestamp(try self.timestamp(date))
        case Tag.Name.binary.rawValue:
            guard let data = self.node.binary else { throw self.error("no base64") }
            return .bytes(Array(data))
        default: return .string(UTF8Text(scalar.string))
        }
    }

    private func timestamp(_ date: Date) throws(RuleCaseError) -> Timestamp {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        guard let whole = Int64(exactly: microseconds),
            (Timestamp.earliest.microseconds...Timestamp.latest.microseconds).contains(whole)
        else { throw self.error("times are of the years 1 to 9999") }
        return Timestamp(microseconds: whole)
    }

    /// A time that is written out, for a case as a whole.
    func time() throws(RuleCaseError) -> Timestamp {
        guard let date = self.node.timestamp else { throw self.error("time is one such as 2030-01-31T12:00:00Z") }
        return try self.timestamp(date)
    }

    private func value(_ word: Word, _ time: Timestamp) throws(RuleCaseError) -> Value {
        switch word {
        case .now: return .timestamp(time)
        case .delete: throw self.error("!delete is for fields of a merge")
        case .reference:
            guard let database = try? DatabaseName.ofCases(),
                let name = DocumentName(database: database, path: try self.path("!reference"))
            else { throw self.error("!reference is the path of a document") }
            return .reference(name)
        case .place:
            let numbers = try self.numbers("!geopoint")
            guard numbers.count == 2, abs(numbers[0]) <= 90, abs(numbers[1]) <= 180 else {
                throw self.error("!geopoint is [latitude, longitude]")
            }
            return .geoPoint(latitude: numbers[0], longitude: numbers[1])
        case .vector: return .vector(try self.numbers("!vector"))
        }
    }

    private func numbers(_ what: String) throws(RuleCaseError) -> [Double] {
        var numbers: [Double] = []
        for element in try self.list(what) {
            guard let number = element.node.float ?? element.node.int.map(Double.init) else {
                throw element.error("\(what) has numbers only")
            }
            numbers.append(number)
        }
        return numbers
    }

    func path(_ what: String) throws(RuleCaseError) -> ResourcePath {
        let text = try self.text(what)
        do { return try ResourcePath(parsing: text.utf8) } catch { throw self.error("\(text): \(error)") }
    }

    func documentPath(_ what: String) throws(RuleCaseError) -> ResourcePath {
        let path = try self.path(what)
        guard path.isDocument else { throw self.error("\(path) is no document: its path has an even number of names") }
        return path
    }
}
