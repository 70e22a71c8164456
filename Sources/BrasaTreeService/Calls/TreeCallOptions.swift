import BrasaTree
import BrasaTreeJudging

/// What a call's parameters say, checked.
struct TreeCallOptions: Sendable {
    enum Printing: String, Sendable {
        case pretty, silent
    }

    let printing: Printing?
    let isShallow: Bool
    let form: TreeEmitter.Form
    let query: TreeQuery?
    let callback: String?
    let fileName: String?
    /// How long a read may take before there is an answer to it.
    let timeout: Duration?
    let writeSize: TreeWriteSize?

    init(_ call: TreeCall) throws(TreeCallRefusal) {
        self.printing = try Self.printing(call.parameter("print"))
        self.isShallow = try Self.flag("shallow", of: call)
        self.form = try Self.form(call.parameter("format"))
        self.callback = try Self.callback(call.parameter("callback"))
        self.fileName = call.parameter("download").map { name in
            String(name.unicodeScalars.filter { $0.value >= 0x20 && $0.value < 0x7F && $0 != "\"" && $0 != "\\" })
        }
        self.timeout = try Self.timeout(call.parameter("timeout"))
        self.writeSize = try Self.writeSize(call.parameter("writeSizeLimit"))
        guard call.method == .get else {
            self.query = nil
            return
        }
        do throws(TreeError) {
            self.query = try self.isShallow ? Self.shallowQuery(call) : TreeQuery(parameters: call.parameters)
        } catch {
            throw TreeCallRefusal(TreeAnswer(error))
        }
        try self.checkConditions(of: call)
    }

    private func checkConditions(of call: TreeCall) throws(TreeCallRefusal) {
        let hasCondition = call.ifMatch != nil || call.ifNoneMatch != nil
        if self.isShallow, call.wantsETag {
            throw TreeCallRefusal("Mixing 'shallow' and etag requests is not supported")
        }
        if hasCondition, self.isShallow || self.query != nil || self.printing == .silent {
            throw TreeCallRefusal(Self.mixedConditions)
        }
        if call.ifMatch != nil { throw TreeCallRefusal("if-match is not supported for GET") }
    }

    static let mixedConditions =
        "Mixing 'shallow', querying parameters or 'print=silent' and if-match or if-none-match requests is not "
        + "supported"

    private static func printing(_ text: String?) throws(TreeCallRefusal) -> Printing? {
        guard let text else { return nil }
        guard let printing = Printing(rawValue: text) else {
            throw TreeCallRefusal("print must be pretty or silent")
        }
        return printing
    }

    private static func flag(_ name: String, of call: TreeCall) throws(TreeCallRefusal) -> Bool {
        switch call.parameter(name) {
        case nil, "false"?: return false
        case "true"?: return true
        default: throw TreeCallRefusal("\(name) must be true or false")
        }
    }

    private static func form(_ text: String?) throws(TreeCallRefusal) -> TreeEmitter.Form {
        switch text {
        case nil: return .plain
        case "export"?: return .export
        default: throw TreeCallRefusal("format must be export")
        }
    }

    /// A name, or names with dots between them: anything else would be a script of the caller's own.
    private static func callback(_ text: String?) throws(TreeCallRefusal) -> String? {
        guard let text else { return nil }
        let isName =
            !text.isEmpty && text.utf8.count <= 256
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "$"), UInt8(ascii: "."):
                    true
                default: false
                }
            }
        guard isName else { throw TreeCallRefusal("callback must be the name of a function") }
        return text
    }

    private static func timeout(_ text: String?) throws(TreeCallRefusal) -> Duration? {
        guard let text else { return nil }
        let units: [(name: String, milliseconds: Double)] = [("ms", 1), ("min", 60_000), ("s", 1_000)]
        let unit = units.first { text.hasSuffix($0.name) }
        let milliseconds = unit.flatMap { unit in
            Double(text.dropLast(unit.name.count)).map { $0 * unit.milliseconds }
        }
        guard let milliseconds, milliseconds > 0, milliseconds <= 15 * 60_000 else {
            throw TreeCallRefusal("timeout must be a positive number of ms, s or min, 15min at most")
        }
        return .milliseconds(milliseconds)
    }

    private static func writeSize(_ text: String?) throws(TreeCallRefusal) -> TreeWriteSize? {
        guard let text else { return nil }
        guard let size = TreeWriteSize(rawValue: text) else {
            throw TreeCallRefusal("writeSizeLimit must be tiny, small, medium, large or unlimited")
        }
        return size
    }

    /// The one filter that goes with `shallow`: Google's command line deletes large nodes by it, with a bare key.
    private static func shallowQuery(_ call: TreeCall) throws(TreeError) -> TreeQuery? {
        let others = ["orderBy", "startAt", "endAt", "endBefore", "equalTo", "limitToLast"]
        guard !call.parameters.contains(where: { others.contains($0.name) }) else {
            throw TreeError(.malformedQuery)
        }
        let start = call.parameter("startAfter")
        let count = call.parameter("limitToFirst")
        guard start != nil || count != nil else { return nil }
        var limit: TreeQuery.Limit?
        if let count {
            guard let number = Int(count) else { throw TreeError(.invalidLimit) }
            limit = TreeQuery.Limit(number, .first)
        }
        let bound = start.map { QueryBound(key: .text(TreeText($0)), isInclusive: false) }
        return try TreeQuery(order: .key, start: bound, limit: limit)
    }
}
