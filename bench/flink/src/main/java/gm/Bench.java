package gm;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.windowing.assigners.TumblingEventTimeWindows;

/**
 * The benchmark on a local Flink cluster.
 *
 * <p>--n --seed --p (parallelism) --backend=hashmap|rocksdb --ckpt-ms (0: off) --dir (checkpoints)
 * --reuse=true|false --wm-ms (0: a watermark every 200 events; else Flink's periodic one)
 * --stage=job|assembler|source (where the pipeline is cut) --runs (jobs in this JVM, the last is reported)
 */
public final class Bench {
    private Bench() {}

    static Configuration config(Args args) {
        Configuration c = new Configuration();
        c.setString("pipeline.generic-types", "false"); // Kryo is an error
        c.setString("state.backend.type", args.get("backend", "hashmap"));
        c.setString("taskmanager.memory.managed.size", args.get("managed", "256m"));
        c.setString("taskmanager.memory.network.min", "64m");
        c.setString("taskmanager.memory.network.max", "64m");
        c.setString("taskmanager.numberOfTaskSlots", args.get("p", "1"));
        if (args.on("reuse")) {
            c.setString("pipeline.object-reuse", "true");
        }
        if (args.num("wm-ms", 0) > 0) {
            c.setString("pipeline.auto-watermark-interval", args.num("wm-ms", 0) + "ms");
        }
        return c;
    }

    public static void main(String[] argv) throws Exception {
        Args args = new Args(argv);
        for (long run = args.num("runs", 1); run > 0; run--) {
            Stats.reset();
            run(args, run == 1);
        }
    }

    private static void run(Args args, boolean report) throws Exception {
        long n = args.num("n", 1_000_000);
        long seed = args.num("seed", 42);
        int p = (int) args.num("p", 1);
        String stage = args.get("stage", "job");
        long events = 2 * n - Gen.countAbandoned(n, seed);

        Configuration c = config(args);
        long ckptMs = args.num("ckpt-ms", 0);
        Path dir = null;
        if (ckptMs > 0) {
            dir = args.get("dir", "").isEmpty() ? Files.createTempDirectory("gm-ckpt") : Path.of(args.get("dir", ""));
            c.setString("execution.checkpointing.interval", ckptMs + "ms");
            c.setString("execution.checkpointing.dir", dir.toUri().toString());
            c.setString("execution.checkpointing.incremental", args.get("backend", "hashmap").equals("rocksdb") ? "true" : "false");
        }
        StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(p, c);

        WatermarkStrategy<Event> wm =
                args.num("wm-ms", 0) > 0
                        ? WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(Gen.DELAY))
                        : WatermarkStrategy.forGenerator(ctx -> new EveryN(200));
        TypeInformation<Event> eventType = TypeInformation.of(Event.class);
        DataStream<Event> source =
                env.fromSource(
                                new DataGeneratorSource<>(new Source(n, seed, events), events, eventType),
                                wm.withTimestampAssigner((e, t) -> e.ts),
                                "source",
                                eventType)
                        .setParallelism(1)
                        .uid("source");

        if (stage.equals("source")) {
            source.keyBy(e -> e.requestId).process(new Drop<Event>()).name("drop");
        } else {
            SingleOutputStreamOperator<Usage> usage =
                    source.keyBy(e -> e.requestId).process(new Assembler()).returns(Usage.class).name("assembler").uid("assembler");
            if (stage.equals("assembler")) {
                usage.keyBy(u -> u.tenantId).process(new Drop<Usage>()).name("drop");
            } else {
                usage.keyBy(u -> u.tenantId).process(new RunningTotal()).returns(Running.class).name("total").uid("total")
                        .sinkTo(new Sinks.A()).name("sinkA").uid("sinkA");
                usage.keyBy(u -> u.tenantId).window(TumblingEventTimeWindows.of(Duration.ofMillis(Gen.WINDOW_MS)))
                        .aggregate(new WindowSum(), new WindowStamp(), TypeInformation.of(WindowTotal.class), TypeInformation.of(WindowTotal.class))
                        .name("window").uid("window")
                        .sinkTo(new Sinks.B()).name("sinkB").uid("sinkB");
            }
        }
        env.execute("gatewaymeter");

        if (!report) {
            return;
        }
        boolean job = stage.equals("job");
        if (job && (Stats.sumA != Stats.sumB || Stats.unmatched != 0)) {
            throw new IllegalStateException("wrong result: sumA " + Stats.sumA + ", sumB " + Stats.sumB + ", unmatched " + Stats.unmatched);
        }
        double seconds = (Stats.lastNanos - Stats.firstNanos) / 1e9;
        double half = (Stats.lastNanos - Stats.midNanos) / 1e9;
        double setup = Stats.firstNanos == 0 ? 0
                : (System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime()) / 1e3 - (System.nanoTime() - Stats.firstNanos) / 1e9;
        String name = "flink-" + args.get("backend", "hashmap") + "-p" + p + (ckptMs > 0 ? "-ckpt" : "") + (args.on("reuse") ? "-reuse" : "")
                + (args.num("wm-ms", 0) > 0 ? "-wm" + args.num("wm-ms", 0) + "ms" : "") + (job ? "" : "-" + stage + "only")
                + (args.num("runs", 1) > 1 ? "-warm" : "");
        System.out.printf(
                "{\"name\":\"%s\",\"n\":%d,\"events\":%d,\"seconds\":%.4f,\"eps\":%.0f,\"eps_second_half\":%.0f,\"outA\":%d,\"outB\":%d,\"sum_nano\":%d,\"check\":\"%016x\",\"setup\":%.2f,\"checkpoints\":%d}%n",
                name, n, events, seconds, events / seconds, (events - events / 2) / half, Stats.outA, Stats.outB, Stats.sumA, Stats.check(), setup, Stats.checkpoints.get());
        if (dir != null && args.get("dir", "").isEmpty()) {
            Dirs.delete(dir);
        }
    }
}
