internal import BrasaDocuments

extension RuleFunction {
    func call(_ arguments: [RuleValue], _ work: inout Work) throws(EvaluationError) -> RuleValue {
        guard arguments.count == self.parameters.count else { throw self.failure(arguments) }
        let result: RuleValue?
        switch self {
        case .int, .float, .string, .bool, .path: result = try self.convert(arguments[0], &work)
        case .debug: result = arguments[0]
        case .mathAbs, .mathCeil, .mathFloor, .mathRound, .mathIsNaN, .mathIsInfinite, .mathSqrt:
            result = try self.compute(arguments[0])
        case .mathPow:
            if let base = arguments[0].double, let exponent = arguments[1].double {
                result = .float(Geometry.power(base, exponent))
            } else {
                result = nil
            }
        case .md5, .sha256, .crc32, .crc32c: result = try self.hash(arguments[0], &work)
        case .timestampDate, .timestampValue, .durationValue, .durationTime, .durationAbs:
            result = try self.makeTime(arguments, &work)
        case .latlngValue: result = try Self.place(arguments)
        }
        guard let result else { throw self.failure(arguments) }
        return result
    }

    private func convert(_ value: RuleValue, _ work: inout Work) throws(EvaluationError) -> RuleValue? {
        switch (self, value) {
        case (.int, .int), (.float, .float): return value
        case (.int, .float(let float)): return .int(NumberText.int(float))
        case (.float, .int(let int)): return .float(Double(int))
        case (.int, .string(let text)):
            if let int = try NumberText.int(text, &work) { return .int(int) }
            throw .conversion(argument: text.excerpt, from: "string", to: "int")
        case (.float, .string(let text)):
            if let float = try NumberText.float(text, &work) { return .float(float) }
            throw .conversion(argument: text.excerpt, from: "string", to: "float")
        case (.bool, .string(let text)):
            if text.isEqual(to: "true") { return .bool(true) }
            if text.isEqual(to: "false") { return .bool(false) }
            throw .conversion(argument: text.excerpt, from: "string", to: "bool")
        case (.string, _): return try value.text(&work).map { .string($0) }
        case (.path, .string(let text)): return .path(try RulePath(parsing: text, &work))
        default: return nil
        }
    }

    private func compute(_ value: RuleValue) throws(EvaluationError) -> RuleValue? {
        switch (self, value) {
        case (.mathAbs, .int(let int)):
            guard int != .min else { throw .integerOutOfRange }
            return .int(abs(int))
        case (.mathAbs, .float(let float)): return .float(float.magnitude)
        case (.mathCeil, .int), (.mathFloor, .int), (.mathRound, .int): return value
        case (.mathCeil, .float(let float)): return .int(NumberText.int(float.rounded(.up)))
        case (.mathFloor, .float(let float)): return .int(NumberText.int(float.rounded(.down)))
        case (.mathRound, .float(let float)):
            // Half goes up; adding it would round the numbers just below a half.
            let down = float.rounded(.down)
            return .int(NumberText.int(float - down >= 0.5 ? down + 1 : down))
        case (.mathIsNaN, _): return value.double.map { .bool($0.isNaN) }
        case (.mathIsInfinite, _): return value.double.map { .bool($0.isInfinite) }
        case (.mathSqrt, _): return value.double.map { .float($0.squareRoot()) }
        default: return nil
        }
    }

    private func hash(_ value: RuleValue, _ work: inout Work) throws(EvaluationError) -> RuleValue? {
        let hidden: RuleBytes
        switch value {
        case .string(let text): hidden = text.bytes
        case .bytes(let own): hidden = own
        default: return nil
        }
        // A digest works on blocks of 64 bytes, and pads its input.
        try work.spend(bytes: 128, .digested)
        let bytes = Array(try hidden.all(self == .md5 || self == .sha256 ? .digested : .coded, &work))
        return switch self {
        case .md5: .bytes(RuleBytes(MD5(bytes).bytes))
        case .sha256: .bytes(RuleBytes(SHA256.digest(bytes)))
        case .crc32: .bytes(RuleBytes(CyclicCheck.bytes(bytes, CyclicCheck.crc32Table)))
        default: .bytes(RuleBytes(CyclicCheck.bytes(bytes, CyclicCheck.crc32cTable)))
        }
    }

    private static func place(_ arguments: [RuleValue]) throws(EvaluationError) -> RuleValue? {
        guard let latitude = arguments[0].double, let longitude = arguments[1].double else { return nil }
        guard (-90...90).contains(latitude), (-180...180).contains(longitude) else {
            throw .invalidPlace(latitude: latitude, longitude: longitude)
        }
        return .latlng(latitude: latitude, longitude: longitude)
    }
}

extension RuleValue {
    /// The number as a float; nil for what is no number.
    var double: Double? {
        switch self {
        case .int(let int): Double(int)
        case .float(let float): float
        default: nil
        }
    }
}
