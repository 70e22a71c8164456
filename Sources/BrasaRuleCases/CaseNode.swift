internal import Yams

/// A node of a file of cases, with the words for what is wrong with it.
struct CaseNode {
    let node: Node

    var line: Int? { self.node.mark?.line }

    func error(_ message: String) -> RuleCaseError { RuleCaseError(message, line: self.line) }

    /// `true` and `false` are the only bools: a name may be `no`, and an id `on`.
    static func root(of text: String) throws(RuleCaseError) -> CaseNode {
        do {
            let resolver = try Resolver.default.replacing(.bool, with: "^(?:true|false)$")
            guard let node = try compose(yaml: text, resolver) else { throw RuleCaseError("no cases", line: nil) }
            return CaseNode(node: node)
        } catch let error as RuleCaseError {
            throw error
        } catch let error as YamlError {
            throw RuleCaseError(error)
        } catch {
            throw RuleCaseError("\(error)", line: nil)
        }
    }

    // MARK: What a node is

    var tag: String { self.node.tag.rawValue }
    var isNull: Bool { self.tag == Tag.Name.null.rawValue }
    var isMapping: Bool { if case .mapping = self.node { true } else { false } }
    var isList: Bool { if case .sequence = self.node { true } else { false } }

    func bool(_ what: String) throws(RuleCaseError) -> Bool {
        guard let bool = self.node.bool, self.tag == Tag.Name.bool.rawValue else {
            throw self.error("\(what) is true or false")
        }
        return bool
    }

    func text(_ what: String) throws(RuleCaseError) -> String {
        guard case .scalar(let scalar) = self.node, !self.isNull else {
            throw self.error("\(what) is a text")
        }
        return scalar.string
    }

    func list(_ what: String) throws(RuleCaseError) -> [CaseNode] {
        guard case .sequence(let sequence) = self.node else { throw self.error("\(what) is a list") }
        return sequence.map { CaseNode(node: $0) }
    }

    /// Keys and values in the order of the file.
    func entries(_ what: String) throws(RuleCaseError) -> [(key: String, value: CaseNode)] {
        guard case .mapping(let mapping) = self.node else { throw self.error("\(what) is a mapping") }
        var entries: [(key: String, value: CaseNode)] = []
        for (key, value) in mapping {
            entries.append((try CaseNode(node: key).text("a key"), CaseNode(node: value)))
        }
        return entries
    }

    /// The entries of a mapping that has no other keys.
    func members(_ what: String, _ known: Set<String>) throws(RuleCaseError) -> [String: CaseNode] {
        var members: [String: CaseNode] = [:]
        for (key, value) in try self.entries(what) {
            guard known.contains(key) else {
                throw value.error("\(what) has no \(key), only \(known.sorted().joined(separator: ", "))")
            }
            members[key] = value
        }
        return members
    }

    func integer(_ what: String, _ range: ClosedRange<Int>) throws(RuleCaseError) -> Int {
        guard let int = self.node.int, range.contains(int) else {
            throw self.error("\(what) is a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return int
    }
}

extension RuleCaseError {
    init(_ error: YamlError) {
        switch error {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            self.init(problem, line: mark.line)
        case .duplicatedKeysInMapping(let duplicates, let context):
            let keys = duplicates.sorted().joined(separator: ", ")
            self.init("the same key twice: \(keys)", line: context.mark.line)
        default: self.init("\(error)", line: nil)
        }
    }
}
