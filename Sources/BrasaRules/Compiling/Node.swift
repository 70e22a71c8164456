/// A compiled expression's place in its `Program`.
typealias NodeID = Int

/// A compiled expression: names are resolved, literals are values, what no request changes is folded.
enum Node {
    /// A value, and how many expressions it was written with.
    case constant(RuleValue, cost: Int)
    /// A name that means nothing here.
    case unknownName
    case unknownFunction(String)
    case wrongCount(received: Int, expected: String)

    case request
    case resource
    case requestMember(RequestMember)
    /// `resource.data…`: looked up in the stored bytes.
    case storedField(DocumentField)
    /// `request.resource.data…`
    case futureField(DocumentField)
    case local(Int)
    /// By its place in the block's whole pattern.
    case capture(Int)

    case member(NodeID, RuleText)
    case index(NodeID, NodeID)
    case slice(NodeID, from: NodeID?, to: NodeID?)
    case not(NodeID)
    case negate(NodeID)
    case and(NodeID, NodeID)
    case or(NodeID, NodeID)
    case conditional(NodeID, NodeID, NodeID)
    case binary(BinaryOperator, NodeID, NodeID)
    case isType(NodeID, TypeName)
    case list([NodeID])
    /// Keys and values in turn.
    case map([NodeID])
    case path([PathPart])

    case call(Int, [NodeID])
    case function(RuleFunction, [NodeID])
    case access(AccessFunction, NodeID)
    /// The last is the place of a literal pattern among the program's.
    case method(MethodName, NodeID, [NodeID], Int?)
}

enum PathPart {
    case literal(RuleText)
    case expression(NodeID)
    case variable(RuleText)
    case glob(RuleText)
}

enum RequestMember: String {
    case auth, method, path, time, resource, query
}

/// A field below `data`, by its names from the document inwards; none for the whole data.
struct DocumentField {
    var names: [RuleText]
    /// With `resource` or `request.resource`, and `data`.
    var cost: Int
}
