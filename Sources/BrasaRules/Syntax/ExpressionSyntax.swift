internal import BrasaDocuments

/// An expression's place in its `ExpressionTable`.
typealias ExpressionID = Int

/// One expression as it is written. Operands are places in the table that holds it, so that no source makes a structure
/// that is taken apart by recursion.
struct ExpressionSyntax {
    indirect enum Kind {
        case null
        case boolean(Bool)
        /// A magnitude: up to 2⁶³ under a sign, below it elsewhere.
        case integer(Int64)
        case float(Double)
        case string(UTF8Text)
        case bytes([UInt8])
        case name(String)
        case list([ExpressionID])
        /// Keys and values in turn.
        case map([ExpressionID])
        case path([PathSegmentSyntax])
        case member(ExpressionID, name: String)
        case index(ExpressionID, ExpressionID)
        case slice(ExpressionID, from: ExpressionID?, to: ExpressionID?)
        case call(name: String, [ExpressionID])
        case packageCall(package: String, name: String, [ExpressionID])
        case method(ExpressionID, name: String, [ExpressionID])
        case not(ExpressionID)
        case negate(ExpressionID)
        case binary(BinaryOperator, ExpressionID, ExpressionID)
        case isType(ExpressionID, TypeName)
        case conditional(ExpressionID, ExpressionID, ExpressionID)
        /// What an error was told of.
        case invalid
    }

    var kind: Kind
    var range: SourceRange
    /// Levels of the tree from here down.
    var height: Int
}

/// One segment of a path in an expression.
enum PathSegmentSyntax {
    case literal(UTF8Text)
    case interpolation(ExpressionID)
    case variable(name: String, isGlob: Bool)
}

package enum BinaryOperator: String, CaseIterable, Hashable, Sendable {
    case or = "||"
    case and = "&&"
    case `in`
    case equal = "=="
    case notEqual = "!="
    case less = "<"
    case lessOrEqual = "<="
    case greater = ">"
    case greaterOrEqual = ">="
    case plus = "+"
    case minus = "-"
    case times = "*"
    case divide = "/"
    case modulo = "%"

    init?(_ mark: Token.Mark) {
        guard mark != .not, let known = BinaryOperator(rawValue: mark.rawValue) else { return nil }
        self = known
    }

    /// Who binds tighter has the greater number. `in`, and `is` with it, bind looser than equality: so do the tools
    /// that people test their rules with.
    var precedence: Int {
        switch self {
        case .or: 1
        case .and: 2
        case .in: BinaryOperator.isPrecedence
        case .equal, .notEqual: 4
        case .less, .lessOrEqual, .greater, .greaterOrEqual: 5
        case .plus, .minus: 6
        case .times, .divide, .modulo: 7
        }
    }

    static let isPrecedence = 3
}

/// All expressions of one rules file.
struct ExpressionTable {
    private(set) var all: [ExpressionSyntax] = []

    subscript(id: ExpressionID) -> ExpressionSyntax { self.all[id] }

    mutating func add(_ kind: ExpressionSyntax.Kind, _ range: SourceRange, height: Int) -> ExpressionID {
        self.all.append(ExpressionSyntax(kind: kind, range: range, height: height))
        return self.all.count - 1
    }
}
