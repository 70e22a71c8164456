import BrasaHTTP
import BrasaTree
import BrasaTreeService

/// What a request of HTTP asks of a tree.
struct TreeHead {
    struct Refusal: Error {
        let answer: TreeAnswer
    }

    static let fieldNames = [
        "accept", "host", "if-match", "if-none-match", "x-firebase-etag", "x-http-method-override",
    ]

    /// Of requests that name none, as tools without a project do.
    static let defaultTree = "fake-server"

    let call: TreeCall

    init(_ request: HTTPRequest) throws(Refusal) {
        guard let fields = HTTPQuery.parameters(request.query) else {
            throw Refusal(answer: .error(400, "the query is badly encoded"))
        }
        let parameters = fields.map { TreeQuery.Parameter($0.name, $0.value) }
        let method = try Self.method(request, parameters)
        let location = try Self.location(request.parameters)
        let named = parameters.last { $0.name == "ns" && !$0.value.isEmpty }?.value
        let name = named ?? request.fields["host"].flatMap { Self.tree(ofHost: $0) } ?? Self.defaultTree
        guard var call = TreeCall(method, inTreeNamed: name, location, by: request.caller) else {
            throw Refusal(answer: .error(400, "ns must be 1 to 63 letters, digits, hyphens and underscores"))
        }
        call.parameters = parameters
        call.body = request.body
        call.wantsETag = request.fields["x-firebase-etag"] == "true"
        call.ifMatch = request.fields["if-match"]
        call.ifNoneMatch = request.fields["if-none-match"]
        self.call = call
    }

    /// `POST` may stand for others, where only that gets through.
    private static func method(
        _ request: HTTPRequest,
        _ parameters: [TreeQuery.Parameter]
    ) throws(Refusal) -> TreeCall.Method {
        var name = request.method == "HEAD" ? "GET" : request.method
        if name == "POST" {
            let parameter = parameters.last { $0.name == "x-http-method-override" }?.value
            name = (request.fields["x-http-method-override"] ?? parameter ?? name).uppercased()
        }
        guard let method = TreeCall.Method(rawValue: name) else {
            throw Refusal(answer: .error(405, "\(name) is not supported here"))
        }
        return method
    }

    /// A slash that was encoded is no part of a key.
    private static func location(_ segments: [String]) throws(Refusal) -> TreeLocation {
        do throws(TreeError) {
            for segment in segments where segment.utf8.contains(UInt8(ascii: "/")) {
                throw TreeError(.invalidKey(TreeText(segment)))
            }
            return try TreeLocation(segments.joined(separator: "/"))
        } catch {
            throw Refusal(answer: TreeAnswer(error))
        }
    }

    /// The first label of a host of three or more. The numbers of an address are none.
    static func tree(ofHost host: String) -> String? {
        guard !host.hasPrefix("[") else { return nil }
        let labels = host.prefix { $0 != ":" }.split(separator: ".")
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let isAddress = labels.allSatisfy { label in label.utf8.allSatisfy { digits.contains($0) } }
        return labels.count >= 3 && !isAddress ? String(labels[0]) : nil
    }
}
