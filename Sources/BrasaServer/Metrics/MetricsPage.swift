import BrasaMeasures

/// Text in Prometheus' format for exposition, version 0.0.4: families of metrics, each with its help and type once, and its
/// samples behind them.
struct MetricsPage {
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    typealias Label = (name: String, value: String)

    private(set) var text = ""

    // MARK: Families of one sample

    mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        self.family("gauge", name, help, [([], value)])
    }

    mutating func gauge(_ name: String, _ help: String, seconds microseconds: Int) {
        self.head("gauge", name, help)
        self.sample(name, [], Self.text(microseconds, in: 1_000_000))
    }

    mutating func counter(_ name: String, _ help: String, _ value: Int) {
        self.family("counter", name, help, [([], value)])
    }

    // MARK: Families of several

    /// A family whose samples differ in one label.
    mutating func gauges(_ name: String, _ help: String, by label: String, _ values: [(String, Int)]) {
        self.family("gauge", name, help, values.map { ([(label, $0.0)], $0.1) })
    }

    mutating func counters(_ name: String, _ help: String, by label: String, _ values: [(String, Int)]) {
        self.family("counter", name, help, values.map { ([(label, $0.0)], $0.1) })
    }

    mutating func histogram(_ name: String, _ help: String, _ values: HistogramValues) {
        self.histograms(name, help, [([], values)])
    }

    mutating func histograms(_ name: String, _ help: String, _ series: [(labels: [Label], values: HistogramValues)]) {
        self.head("histogram", name, help)
        for (labels, values) in series {
            var count = 0
            for (bound, more) in zip(values.shape.bounds, values.counts) {
                count += more
                let bound = Self.text(bound, in: values.shape.scale)
                self.sample("\(name)_bucket", labels + [("le", bound)], String(count))
            }
            self.sample("\(name)_bucket", labels + [("le", "+Inf")], String(values.count))
            self.sample("\(name)_sum", labels, Self.text(values.sum, in: values.shape.scale))
            self.sample("\(name)_count", labels, String(values.count))
        }
    }

    private mutating func family(
        _ kind: String,
        _ name: String,
        _ help: String,
        _ samples: [(labels: [Label], value: Int)]
    ) {
        self.head(kind, name, help)
        for (labels, value) in samples { self.sample(name, labels, String(value)) }
    }

    private mutating func head(_ kind: String, _ name: String, _ help: String) {
        self.text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind)\n"
    }

    private mutating func sample(_ name: String, _ labels: [Label], _ value: String) {
        let list = labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
        self.text += labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }

    private static func text(_ value: Int, in scale: Int) -> String {
        scale == 1 ? String(value) : String(Double(value) / Double(scale))
    }
}
