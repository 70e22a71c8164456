import BrasaRules
import BrasaTree

/// A rule's expression, checked for everything that does not depend on what it is evaluated with.
indirect enum RuleExpression: Sendable {
    enum Snapshot: Sendable {
        case root, data, newData
    }

    enum Comparison: Sendable {
        case less, lessOrEqual, greater, greaterOrEqual
    }

    enum Arithmetic: Sendable {
        case subtract, multiply, divide, remainder
    }

    enum QueryMember: String, Sendable {
        case orderByKey, orderByPriority, orderByValue, orderByChild, startAt, endAt, equalTo, limitToFirst, limitToLast
    }

    case literal(RuleScalar)
    case auth
    case now
    case snapshot(Snapshot)
    case capture(Int)
    case query(QueryMember)

    /// Of a claim; of a string its length.
    case member(RuleExpression, TreeText)
    case index(RuleExpression, RuleExpression)
    case call(RuleExpression, RuleMethod, [RuleExpression])
    case matches(RuleExpression, TextPattern)

    case not(RuleExpression)
    case negate(RuleExpression)
    case all([RuleExpression])
    case any([RuleExpression])
    case equal(RuleExpression, RuleExpression, isNegated: Bool)
    case compare(RuleExpression, Comparison, RuleExpression)
    case add(RuleExpression, RuleExpression)
    case arithmetic(RuleExpression, Arithmetic, RuleExpression)
    case conditional(RuleExpression, RuleExpression, RuleExpression)
}

enum RuleScalar: Sendable {
    case null
    case boolean(Bool)
    case number(Double)
    case string(TreeText)
}

/// What is called on a value: its receiver, its arguments, what it returns.
enum RuleMethod: String, Sendable {
    case val, child, parent, hasChild, hasChildren, exists, getPriority, isString, isNumber, isBoolean
    case contains, beginsWith, endsWith, replace, toLowerCase, toUpperCase

    var receiver: StaticType {
        switch self {
        case .val, .child, .parent, .hasChild, .hasChildren, .exists, .getPriority, .isString, .isNumber, .isBoolean:
            .snapshot
        case .contains, .beginsWith, .endsWith, .replace, .toLowerCase, .toUpperCase: .string
        }
    }

    /// How many strings it takes; `hasChildren` may have an array.
    var stringCount: Int {
        switch self {
        case .child, .hasChild, .contains, .beginsWith, .endsWith: 1
        case .replace: 2
        default: 0
        }
    }

    var result: StaticType {
        switch self {
        case .val: .unknown
        case .child, .parent: .snapshot
        case .getPriority: .priority
        case .hasChild, .hasChildren, .exists, .isString, .isNumber, .isBoolean, .contains, .beginsWith, .endsWith:
            .boolean
        case .replace, .toLowerCase, .toUpperCase: .string
        }
    }
}
