import BrasaRules
import BrasaTree

extension RuleEvaluator {
    mutating func call(
        _ base: RuleExpression,
        _ method: RuleMethod,
        _ arguments: [RuleExpression]
    ) throws(EvaluationError) -> Value {
        switch try self.value(base) {
        case .snapshot(let snapshot): return try self.call(snapshot, method, arguments)
        case .scalar(.string(let text)): return .scalar(try self.call(text, method, arguments))
        case .scalar(.null): throw .nullValue
        default: throw .mismatch("string")
        }
    }

    private mutating func call(
        _ snapshot: RuleSnapshot,
        _ method: RuleMethod,
        _ arguments: [RuleExpression]
    ) throws(EvaluationError) -> Value {
        switch method {
        case .val: return snapshot.node.childCount > 0 ? .children : .scalar(RuleScalar(snapshot.node.scalar))
        case .child: return .snapshot(try self.child(try self.text(arguments[0]), of: snapshot))
        case .parent:
            try self.work.spend(Work.access * (1 + snapshot.path.count))
            guard let parent = snapshot.parent else { throw .emptyPath }
            return .snapshot(parent)
        case .hasChild:
            let path = try self.text(arguments[0])
            guard !path.utf8.isEmpty else { return .scalar(.boolean(false)) }
            return .scalar(.boolean(!(try self.child(path, of: snapshot).node.isAbsent)))
        case .hasChildren:
            guard !arguments.isEmpty else { return .scalar(.boolean(snapshot.node.childCount > 0)) }
            for argument in arguments where try self.child(try self.text(argument), of: snapshot).node.isAbsent {
                return .scalar(.boolean(false))
            }
            return .scalar(.boolean(true))
        case .exists: return .scalar(.boolean(!snapshot.node.isAbsent))
        case .getPriority: return .scalar(RuleScalar(snapshot.node.priority.scalar))
        case .isString: if case .string? = snapshot.node.scalar { return .scalar(.boolean(true)) }
        case .isNumber: return .scalar(.boolean(snapshot.node.scalar?.number != nil))
        case .isBoolean: if case .boolean? = snapshot.node.scalar { return .scalar(.boolean(true)) }
        case .contains, .beginsWith, .endsWith, .replace, .toLowerCase, .toUpperCase: throw .mismatch("string")
        }
        return .scalar(.boolean(false))
    }

    private mutating func child(_ text: TreeText, of snapshot: RuleSnapshot) throws(EvaluationError) -> RuleSnapshot {
        try self.work.spend(bytes: text.utf8.count, .coded)
        let path: TreePath
        do throws(TreeError) {
            let location = try TreeLocation(text)
            guard !location.isPriority else { throw TreeError(.invalidKey(text)) }
            path = location.path
        } catch {
            throw EvaluationError.invalidPath("\(error)")
        }
        try self.work.spend(Work.access * (1 + path.keys.count))
        return snapshot.child(path)
    }

    private mutating func call(
        _ text: TreeText,
        _ method: RuleMethod,
        _ arguments: [RuleExpression]
    ) throws(EvaluationError) -> RuleScalar {
        switch method {
        case .contains:
            let part = try self.text(arguments[0])
            return .boolean(!(try self.places(of: part.utf8, in: text.utf8, countMax: 1).isEmpty))
        case .beginsWith, .endsWith:
            let part = try self.text(arguments[0]).utf8
            try self.work.spend(bytes: part.count, .block)
            return .boolean(
                method == .beginsWith ? text.utf8.starts(with: part) : text.utf8.suffix(part.count).elementsEqual(part)
            )
        case .replace:
            let part = try self.text(arguments[0])
            return .string(try self.replacing(part, by: try self.text(arguments[1]), in: text))
        case .toLowerCase, .toUpperCase:
            // A letter may have several in its other case.
            try self.work.spend(bytes: 3 * text.utf8.count, .coded)
            return .string(TreeText(method == .toLowerCase ? text.string.lowercased() : text.string.uppercased()))
        default: throw .mismatch("snapshot")
        }
    }

    /// Where a part begins, from left to right, without overlaps; an empty one is at the beginning alone.
    private mutating func places(
        of part: [UInt8],
        in text: [UInt8],
        countMax: Int = .max
    ) throws(EvaluationError) -> [Int] {
        guard !part.isEmpty else { return [0] }
        guard part.count <= text.count else { return [] }
        let (comparisons, overflow) = (text.count - part.count + 1).multipliedReportingOverflow(by: part.count)
        try self.work.spend(bytes: text.count, .each)
        try self.work.spend(bytes: overflow ? .max : comparisons, .block)
        var places: [Int] = []
        var index = 0
        while index + part.count <= text.count, places.count < countMax {
            if text[index] == part[0], text[index..<(index + part.count)].elementsEqual(part) {
                places.append(index)
                index += part.count
            } else {
                index += 1
            }
        }
        return places
    }

    private mutating func replacing(
        _ part: TreeText,
        by replacement: TreeText,
        in text: TreeText
    ) throws(EvaluationError) -> TreeText {
        guard !part.utf8.isEmpty else { return text }
        let places = try self.places(of: part.utf8, in: text.utf8)
        let (added, overflow) = places.count.multipliedReportingOverflow(by: replacement.utf8.count)
        try self.work.spend(bytes: overflow ? .max : added, .block)
        try self.work.spend(bytes: text.utf8.count, .block)
        var result: [UInt8] = []
        var end = 0
        for place in places {
            result += text.utf8[end..<place]
            result += replacement.utf8
            end = place + part.utf8.count
        }
        result += text.utf8[end...]
        guard let replaced = TreeText(validating: result) else { throw .mismatch("string") }
        return replaced
    }
}
