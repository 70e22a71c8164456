/// An operation on values of types that it does not take. What is said of it is put together only when somebody asks.
package enum UnsupportedOperation: Hashable, Sendable {
    case binary(BinaryOperator, TypeName, TypeName)
    case negation(TypeName)
    case method(MethodName, TypeName, [TypeName])
    case function(RuleFunction, [TypeName])
    case access(AccessFunction, TypeName)

    var received: String {
        func list(_ types: [TypeName]) -> String { types.map(\.rawValue).joined(separator: ", ") }
        return switch self {
        case .binary(let known, let one, let other): "\(one.rawValue) \(known.rawValue) \(other.rawValue)"
        case .negation(let type): "-\(type.rawValue)"
        case .method(let method, let receiver, let types): "\(receiver.rawValue).\(method.rawValue)(\(list(types)))"
        case .function(let function, let types): "\(function.rawValue)(\(list(types)))"
        case .access(let access, let type): "\(access.rawValue)(\(type.rawValue))"
        }
    }

    var expected: String {
        func list(_ types: [TypeSet]) -> String { types.map(\.text).joined(separator: ", ") }
        switch self {
        case .binary(let known, _, _):
            return Self.operands(of: known).map { "\($0) \(known.rawValue) \($1)" }.joined(separator: ", ")
        case .negation: return "-int, -float, -duration"
        case .method(let method, let receiver, _):
            let parameters = method.signature(on: receiver)?.parameters ?? []
            return "\(receiver.rawValue).\(method.rawValue)(\(list(parameters)))"
        case .function(let function, _): return "\(function.rawValue)(\(list(function.parameters)))"
        case .access(let access, _): return "\(access.rawValue)(path)"
        }
    }

    private static func operands(of known: BinaryOperator) -> [(String, String)] {
        switch known {
        case .plus:
            [
                ("int", "int"), ("float", "float"), ("string", "string"), ("duration", "duration"),
                ("duration", "timestamp"), ("timestamp", "duration"),
            ]
        case .minus:
            [
                ("int", "int"), ("float", "float"), ("duration", "duration"), ("timestamp", "duration"),
                ("timestamp", "timestamp"),
            ]
        case .times, .divide, .modulo: [("int", "int"), ("float", "float")]
        default: ["int", "float", "string", "bytes", "duration", "timestamp"].map { ($0, $0) }
        }
    }
}
