import BrasaBytes
import BrasaIdentity

/// Which requests are answered by what. Filled at start.
package struct HTTPRouter: Sendable {
    /// Answers once, at once or later, on the request's event loop.
    package typealias Answerer = @Sendable (HTTPRequest, _ answer: @escaping @Sendable (HTTPAnswer) -> Void) -> Void

    /// Who is answered on a route.
    package enum Audience: Sendable {
        case everybody
        /// Administrators who may see what is of all databases.
        case inspectors
        /// Administrators who may do everything.
        case administrators
    }

    fileprivate struct Route: Sendable {
        let methods: [String]
        let segments: [Segment]
        let audience: Audience
        let bodyBytesMax: Int
        /// Requests count for how often their caller may call.
        let isCounted: Bool
        /// For other methods.
        let otherwise: @Sendable (_ method: String) -> HTTPAnswer
        let dialect: HTTPDialect
        let answerer: Answerer
    }

    fileprivate enum Segment: Sendable {
        case text(String)
        case parameter
        /// All that follow, of which the last one ends so.
        case rest(suffix: String)
    }

    private static let restMark = "{*}"

    private var routes: [Route] = []

    package init() {}

    /// - Parameters:
    ///   - pattern: a path; a segment in braces stands for any text, which the request has as a parameter. One that begins
    ///     with `{*}` is the last, and stands for all that follow, as a parameter each; the last of them ends with what is
    ///     behind it in the pattern, which its parameter has no more.
    ///   - bodyBytesMax: how long a body is taken; 0: none is kept.
    ///   - isCounted: requests count for how often their caller may call.
    ///   - otherwise: what other methods are answered on that path.
    package mutating func add(
        _ methods: [String],
        _ pattern: String,
        for audience: Audience,
        bodyBytesMax: Int = 0,
        isCounted: Bool = true,
        otherwise: @escaping @Sendable (_ method: String) -> HTTPAnswer = {
            HTTPAnswer(405, "\($0) is not supported here\n")
        },
        dialect: HTTPDialect = HTTPDialect(),
        _ answerer: @escaping Answerer
    ) {
        let segments: [Segment] = Self.split(pattern[...]).map { segment -> Segment in
            if segment.hasPrefix(Self.restMark) { return .rest(suffix: String(segment.dropFirst(Self.restMark.count))) }
            return segment.hasPrefix("{") ? .parameter : .text(String(segment))
        }
        self.routes.append(
            Route(
                methods: methods,
                segments: segments,
                audience: audience,
                bodyBytesMax: bodyBytesMax,
                isCounted: isCounted,
                otherwise: otherwise,
                dialect: dialect,
                answerer: answerer
            )
        )
    }

    /// `GET`, and `HEAD`, which is answered without the body.
    package mutating func get(
        _ pattern: String,
        for audience: Audience,
        isCounted: Bool = true,
        _ answer: @escaping @Sendable () -> HTTPAnswer
    ) {
        self.add(["GET", "HEAD"], pattern, for: audience, isCounted: isCounted) { _, done in done(answer()) }
    }

    /// A path where nothing is answered, and why.
    package mutating func refuse(_ pattern: String, _ why: @escaping @Sendable (_ method: String) -> HTTPAnswer) {
        self.add([], pattern, for: .everybody, otherwise: why) { request, done in done(why(request.method)) }
    }

    /// How much of a body any route wants.
    var anyBodyBytesMax: Int { self.routes.reduce(0) { max($0, $1.bodyBytesMax) } }

    /// How much of a request's body is to be kept for its answer.
    func bodyBytesMax(_ request: HTTPRequest) -> Int {
        guard let (route, _) = self.route(request.path), route.methods.contains(request.method) else { return 0 }
        return route.bodyBytesMax
    }

    /// What no route answers is counted, too.
    func isCounted(_ request: HTTPRequest) -> Bool { self.route(request.path)?.0.isCounted ?? true }

    /// How the route of a target speaks; as all do, where there is none.
    func dialect(ofTarget target: String) -> HTTPDialect {
        self.route(target.prefix { $0 != "?" })?.0.dialect ?? HTTPDialect()
    }

    package func answer(_ request: HTTPRequest, _ done: @escaping @Sendable (HTTPAnswer) -> Void) {
        guard let (route, parameters) = self.route(request.path) else {
            return done(HTTPAnswer(404, "nothing is served at \(request.path)\n"))
        }
        guard route.audience.has(request.caller) else { return done(.forbidden) }
        guard route.methods.contains(request.method) else { return done(route.otherwise(request.method)) }
        var request = request
        request.parameters = parameters
        route.answerer(request, done)
    }

    private func route(_ path: Substring) -> (Route, parameters: [String])? {
        let segments = Self.split(path).map { segment in
            PercentEncoding.decode(segment.utf8).flatMap { String(validating: $0, as: UTF8.self) }
        }
        for route in self.routes {
            if let parameters = route.parameters(of: segments) { return (route, parameters) }
        }
        return nil
    }

    private static func split(_ path: Substring) -> ArraySlice<Substring> {
        path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    }
}

extension HTTPRouter.Audience {
    fileprivate func has(_ caller: Caller) -> Bool {
        switch self {
        case .everybody: true
        case .inspectors: caller.mayInspect
        case .administrators: caller == .administrator
        }
    }
}

extension HTTPRouter.Route {
    /// Nil when the path is another one.
    fileprivate func parameters(of path: [String?]) -> [String]? {
        var parameters: [String] = []
        var rest = path[...]
        for segment in self.segments {
            switch segment {
            case .text(let expected): guard let text = rest.popFirst() ?? nil, text == expected else { return nil }
            case .parameter:
                guard let text = rest.popFirst() ?? nil else { return nil }
                parameters.append(text)
            case .rest(let suffix):
                let texts = rest.compactMap { $0 }
                guard texts.count == rest.count, let last = texts.last, last.hasSuffix(suffix) else { return nil }
                return parameters + texts.dropLast() + [String(last.dropLast(suffix.count))]
            }
        }
        return rest.isEmpty ? parameters : nil
    }
}
