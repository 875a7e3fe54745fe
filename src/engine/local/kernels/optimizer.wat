;; Works on n floats, four at a time, where they lie in memory that several threads share.
(module
  (import "engine" "memory" (memory 1 65536 shared))
  ;; One AdamW update of parameters p with gradients g and first and second moments m and v.
  (func (export "update")
    (param $p i32) (param $g i32) (param $m i32) (param $v i32) (param $n i32)
    (param $scale f32) (param $beta1 f32) (param $rest1 f32) (param $beta2 f32) (param $rest2 f32)
    (param $decay f32) (param $step f32) (param $root f32) (param $epsilon f32)
    (local $i i32) (local $end i32)
    (local $x v128) (local $m1 v128) (local $v1 v128)
    (local $vscale v128) (local $vb1 v128) (local $vr1 v128) (local $vb2 v128) (local $vr2 v128)
    (local $vdecay v128) (local $vstep v128) (local $vroot v128) (local $veps v128)
    (local.set $vscale (f32x4.splat (local.get $scale)))
    (local.set $vb1 (f32x4.splat (local.get $beta1)))
    (local.set $vr1 (f32x4.splat (local.get $rest1)))
    (local.set $vb2 (f32x4.splat (local.get $beta2)))
    (local.set $vr2 (f32x4.splat (local.get $rest2)))
    (local.set $vdecay (f32x4.splat (local.get $decay)))
    (local.set $vstep (f32x4.splat (local.get $step)))
    (local.set $vroot (f32x4.splat (local.get $root)))
    (local.set $veps (f32x4.splat (local.get $epsilon)))
    (local.set $end (i32.shl (local.get $n) (i32.const 2)))
    (loop $next
      (local.set $x (f32x4.mul (v128.load (i32.add (local.get $g) (local.get $i))) (local.get $vscale)))
      (local.set $m1 (f32x4.add
        (f32x4.mul (v128.load (i32.add (local.get $m) (local.get $i))) (local.get $vb1))
        (f32x4.mul (local.get $x) (local.get $vr1))))
      (local.set $v1 (f32x4.add
        (f32x4.mul (v128.load (i32.add (local.get $v) (local.get $i))) (local.get $vb2))
        (f32x4.mul (f32x4.mul (local.get $x) (local.get $x)) (local.get $vr2))))
      (v128.store (i32.add (local.get $m) (local.get $i)) (local.get $m1))
      (v128.store (i32.add (local.get $v) (local.get $i)) (local.get $v1))
      (v128.store (i32.add (local.get $p) (local.get $i))
        (f32x4.sub
          (f32x4.mul (v128.load (i32.add (local.get $p) (local.get $i))) (local.get $vdecay))
          (f32x4.div
            (f32x4.mul (local.get $m1) (local.get $vstep))
            (f32x4.add (f32x4.mul (f32x4.sqrt (local.get $v1)) (local.get $vroot)) (local.get $veps)))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 16))) (local.get $end)))))
  ;; sum ← sum + x
  (func (export "add") (param $sum i32) (param $x i32) (param $n i32)
    (local $i i32) (local $end i32)
    (local.set $end (i32.shl (local.get $n) (i32.const 2)))
    (loop $next
      (v128.store (i32.add (local.get $sum) (local.get $i))
        (f32x4.add
          (v128.load (i32.add (local.get $sum) (local.get $i)))
          (v128.load (i32.add (local.get $x) (local.get $i)))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 16))) (local.get $end)))))
  ;; Sum of squares in float64.
  (func (export "squares") (param $g i32) (param $n i32) (result f64)
    (local $i i32) (local $end i32) (local $a v128) (local $b v128) (local $x v128) (local $lo v128) (local $hi v128)
    (local.set $end (i32.shl (local.get $n) (i32.const 2)))
    (loop $next
      (local.set $x (v128.load (i32.add (local.get $g) (local.get $i))))
      (local.set $lo (f64x2.promote_low_f32x4 (local.get $x)))
      (local.set $hi (f64x2.promote_low_f32x4 (i8x16.shuffle 8 9 10 11 12 13 14 15 0 1 2 3 4 5 6 7 (local.get $x) (local.get $x))))
      (local.set $a (f64x2.add (local.get $a) (f64x2.mul (local.get $lo) (local.get $lo))))
      (local.set $b (f64x2.add (local.get $b) (f64x2.mul (local.get $hi) (local.get $hi))))
      (br_if $next (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 16))) (local.get $end))))
    (local.set $a (f64x2.add (local.get $a) (local.get $b)))
    (f64.add (f64x2.extract_lane 0 (local.get $a)) (f64x2.extract_lane 1 (local.get $a)))))
