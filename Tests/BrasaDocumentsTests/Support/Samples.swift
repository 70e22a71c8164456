import BrasaDocuments

/// Short ways to write down names and fields.
func database(_ project: String = "p", _ database: String = "d") -> DatabaseName {
    expectNoError { () throws(DocumentError) in
        try DatabaseName(project: UTF8Text(project), database: UTF8Text(database))
    }
}

func path(_ text: String) -> ResourcePath {
    expectNoError { () throws(DocumentError) in try ResourcePath(parsing: Array(text.utf8)) }
}

func document(_ path: String, in owner: DatabaseName = database()) -> DocumentName {
    expectNoError { () throws(DocumentError) in
        try DocumentName(parsing: Array("\(owner.string)/documents/\(path)".utf8))
    }
}

func field(_ text: String) -> FieldPath {
    expectNoError { () throws(DocumentError) in try FieldPath(parsing: Array(text.utf8)) }
}

func fields(_ entries: KeyValuePairs<String, Value>) -> EncodedFields {
    EncodedFields(encoding: entries.map { Value.MapEntry(key: UTF8Text($0.key), value: $0.value) })
}

func map(_ entries: KeyValuePairs<String, Value>) -> Value {
    .map(sorting: entries.map { Value.MapEntry(key: UTF8Text($0.key), value: $0.value) })
}

/// For values that a test writes itself; a mistake there stops the test run with the error.
func expectNoError<Output>(_ body: () throws(DocumentError) -> Output) -> Output {
    do throws(DocumentError) { return try body() } catch { preconditionFailure(error.message) }
}

/// The error that the body throws; nil when it throws none.
func refusal<Output>(_ body: () throws(DocumentError) -> Output) -> DocumentError? {
    do throws(DocumentError) {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

extension Value: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral
{
    public init(stringLiteral value: String) { self = .string(UTF8Text(value)) }
    public init(integerLiteral value: Int64) { self = .integer(value) }
    public init(floatLiteral value: Double) { self = .double(value) }
    public init(booleanLiteral value: Bool) { self = .boolean(value) }
}
