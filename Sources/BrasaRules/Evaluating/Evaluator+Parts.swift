internal import BrasaDocuments

extension Evaluator {
    mutating func member(_ name: RuleText, of value: RuleValue) throws(EvaluationError) -> RuleValue {
        switch value {
        case .map(let map):
            guard let member = try map.value(name, &self.work) else {
                throw map.isOpen ? .undetermined : .undefinedProperty(name.excerpt)
            }
            return member
        case .path(let path):
            guard let member = try path.binding(name, &self.work) else { throw .undefinedProperty(name.excerpt) }
            return member
        case .null: throw .nullValue
        case .constraint: throw .undetermined
        default: throw .type(received: value.type.rawValue, expected: "map,path")
        }
    }

    @inline(never)
    mutating func evaluateIndex(_ value: NodeID, _ index: NodeID) throws(EvaluationError) -> RuleValue {
        try self.spend(1)
        let value = try self.evaluate(value)
        switch (value, try self.evaluate(index)) {
        case (.map, .string(let name)), (.path, .string(let name)): return try self.member(name, of: value)
        case (.list(let elements), .int(let index)):
            if let place = Int(exactly: index), let element = try elements.element(at: place, &self.work) {
                return element
            }
            throw .indexOutOfBounds(index: index, size: try elements.count(&self.work))
        case (.string(let text), .int(let index)):
            let count = try UTF16Text.count(text, &self.work)
            let place = try Self.checked(index, count)
            return .string(try UTF16Text.slice(text, place..<(place + 1), of: count, &self.work))
        case (.path(let path), .int(let index)):
            if path.isOpen, index >= path.segments.count { throw .undetermined }
            switch path.segments[try Self.checked(index, path.segments.count)] {
            case .simple(let text): return .string(text)
            case .variable(let name), .glob(let name): throw .unboundPathVariable(name.excerpt)
            }
        case (.null, _): throw .nullValue
        default: throw .functionNotFound("[]")
        }
    }

    private static func checked(_ index: Int64, _ count: Int) throws(EvaluationError) -> Int {
        guard let place = Int(exactly: index), (0..<count).contains(place) else {
            throw .indexOutOfBounds(index: index, size: count)
        }
        return place
    }

    /// From inside the value, to behind its first element or later.
    @inline(never)
    mutating func evaluateSlice(_ value: NodeID, _ from: NodeID?, _ to: NodeID?) throws(EvaluationError) -> RuleValue {
        try self.spend(1)
        let value = try self.evaluate(value)
        let size: Int
        switch value {
        case .list(let elements): size = try elements.count(&self.work)
        case .string(let text): size = try UTF16Text.count(text, &self.work)
        case .null: throw .nullValue
        default: throw .functionNotFound("@range")
        }
        let start = try from.map { (id) throws(EvaluationError) in try self.bound(id) } ?? 0
        let end = try to.map { (id) throws(EvaluationError) in try self.bound(id) } ?? Int64(size)
        guard (0..<Int64(size)).contains(start) else { throw .indexOutOfBounds(index: start, size: size) }
        guard (1...Int64(size)).contains(end) else { throw .indexOutOfBounds(index: end, size: size) }
        guard start <= end else { throw .illegalRange(from: start, to: end) }
        let range = Int(start)..<Int(end)
        switch value {
        case .list(let elements): return .list(try elements.slice(range, &self.work))
        case .string(let text): return .string(try UTF16Text.slice(text, range, of: size, &self.work))
        default: throw .functionNotFound("@range")
        }
    }

    private mutating func bound(_ id: NodeID) throws(EvaluationError) -> Int64 {
        guard case .int(let bound) = try self.evaluate(id) else { throw .functionNotFound("@range") }
        return bound
    }

    @inline(never)
    mutating func evaluateMap(_ entries: [NodeID]) throws(EvaluationError) -> RuleValue {
        try self.spend(1)
        var map = RuleMap.empty
        for index in stride(from: 0, to: entries.count - 1, by: 2) {
            let key = try self.evaluate(entries[index])
            let value = try self.evaluate(entries[index + 1])
            guard case .string(let key) = key else {
                throw .type(received: key.type.rawValue, expected: TypeName.string.rawValue)
            }
            if self.isProving, value.isPartial { throw .undetermined }
            try map.insert(RuleMap.Entry(key: key, value: value), &self.work)
        }
        return .map(map)
    }

    /// Text is one segment, whatever is in it; a path is all of its segments.
    @inline(never)
    mutating func evaluatePath(_ parts: [PathPart]) throws(EvaluationError) -> RuleValue {
        try self.spend(1)
        var path = RulePath([])
        path.segments.reserveCapacity(parts.count)
        for part in parts {
            switch part {
            case .literal(let text):
                try self.spend(1)
                path.segments.append(.simple(text))
            case .variable(let name): path.segments.append(.variable(name))
            case .glob(let name): path.segments.append(.glob(name))
            case .expression(let id):
                let value = try self.evaluate(id)
                if case .path(let inner) = value {
                    guard !inner.isOpen else { throw .undetermined }
                    try self.work.spend(elements: inner.segments.count)
                    path.segments += inner.segments
                } else if let text = try value.text(&self.work) {
                    path.segments.append(.simple(text))
                } else {
                    throw .type(received: value.type.rawValue, expected: "bool,float,int,null,path,string")
                }
            }
        }
        guard path.segments.count <= RulePath.segmentsMax else { throw .workExceeded }
        return .path(path)
    }

    /// Arguments and `let`s are evaluated once and in order; an error among them waits until its name is used.
    @inline(never)
    mutating func evaluateCall(_ index: Int, _ arguments: [NodeID]) throws(EvaluationError) -> RuleValue {
        try self.spend(1)
        let outer = self.frame
        let start = self.locals.count
        defer {
            self.locals.removeLast(self.locals.count - start)
            self.frame = outer
        }
        // Calls among the arguments have their own frames behind those that are there already.
        for argument in arguments { self.locals.append(try self.slot(argument)) }
        self.frame = start
        let function = self.program.functions[index]
        for value in function.lets {
            try self.spend(1)
            self.locals.append(try self.slot(value))
        }
        return try self.evaluate(function.result)
    }

    private mutating func slot(_ id: NodeID) throws(EvaluationError) -> EvaluatedSlot {
        do throws(EvaluationError) { return .value(try self.evaluate(id)) } catch {
            if error.endsDecision { throw error }
            return .failure(error)
        }
    }

    func local(_ index: Int) throws(EvaluationError) -> RuleValue {
        switch self.locals[self.frame + index] {
        case .value(let value): return value
        case .failure(let error): throw error
        }
    }
}
